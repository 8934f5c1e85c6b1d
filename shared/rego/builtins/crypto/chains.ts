import { X509Certificate } from 'node:crypto';
import { BuiltinError } from '../../errors.ts';
import type { Run } from '../../run/context.ts';
import { CERTIFICATE_STEPS, type Certificate } from './certificate.ts';
import { checkedKey, cryptographic, isTooSmall, spendSignature } from './keys.ts';
import { fitsConstraints } from './names.ts';

/** What a chain is checked for. */
export interface ChainOptions {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly host: string;
  /** Places in the list of purposes. 0 stands for any purpose. */
  readonly purposes: readonly number[];
}

/** Signatures that the search for one chain may check. */
const MAX_CHECKS = 100;
/** Use of a key for signing certificates. */
const SIGNS_CERTIFICATES = 32;
/** Signature algorithms that nobody should trust: MD5 and SHA-1. */
const BROKEN = new Set([2, 3, 7, 9]);

/**
 * Finds a chain from the last certificate to the first one, which is trusted. Those between may be part of the chain.
 * @returns null where there is no valid chain
 */
export function findChain(
  given: readonly Certificate[],
  options: ChainOptions,
  run: Run,
): readonly Certificate[] | null {
  const [root, leaf] = [given[0], given.at(-1)];
  if (root === undefined || leaf === undefined || given.length < 2) {
    throw new BuiltinError('must supply at least two certificates to be able to verify');
  }
  if (!isUsable(leaf, options) || (options.host !== '' && !isNamed(leaf, options.host))) return null;
  const search: Search = { root, between: given.slice(1, -1), options, run, checks: 0 };
  const chain = leaf.bytes.equals(root.bytes) ? [leaf] : extended(search, [leaf]);
  return chain !== null && hasPurpose(chain, options.purposes) ? chain : null;
}

interface Search {
  readonly root: Certificate;
  readonly between: readonly Certificate[];
  readonly options: ChainOptions;
  readonly run: Run;
  checks: number;
}

function extended(search: Search, chain: readonly Certificate[]): readonly Certificate[] | null {
  if (isSignedBy(search, chain, search.root)) return [...chain, search.root];
  for (const candidate of search.between) {
    if (chain.includes(candidate) || !isSignedBy(search, chain, candidate)) continue;
    const found = extended(search, [...chain, candidate]);
    if (found !== null) return found;
  }
  return null;
}

/** Whether an authority may have issued the last certificate of a chain and did so. */
function isSignedBy(search: Search, chain: readonly Certificate[], authority: Certificate): boolean {
  const child = chain.at(-1);
  const { run, options } = search;
  run.budget.spend(chain.length);
  if (child === undefined || child.fields.RawIssuer !== authority.fields.RawSubject) return false;
  if (!isUsable(authority, options) || !mayIssue(authority, chain.length - 1)) return false;
  const fits = chain.every(({ names }) => fitsConstraints(names, authority.permitted, authority.excluded, run));
  if (!fits || BROKEN.has(Number(child.fields.SignatureAlgorithm)) || isTooSmall(authority.key)) return false;
  search.checks += 1;
  if (search.checks > MAX_CHECKS) throw new BuiltinError('too many certificates for one chain');
  const key = checkedKey(authority.key);
  // Node reads the certificate once more.
  run.budget.spend(CERTIFICATE_STEPS);
  spendSignature(run, key, false);
  return cryptographic('certificate', () => new X509Certificate(child.bytes).verify(key));
}

/** @param below authorities of the chain between the leaf and this one */
function mayIssue({ fields }: Certificate, below: number): boolean {
  const isAuthority = fields.Version === 3 ? fields.BasicConstraintsValid === true && fields.IsCA === true : true;
  const mayIssueMore =
    fields.MaxPathLen === -1 || fields.BasicConstraintsValid !== true || below <= Number(fields.MaxPathLen);
  const usage = Number(fields.KeyUsage);
  return isAuthority && mayIssueMore && (usage === 0 || (usage & SIGNS_CERTIFICATES) !== 0);
}

function isUsable({ fields }: Certificate, { time }: ChainOptions): boolean {
  const isNow = Date.parse(String(fields.NotBefore)) <= time && time <= Date.parse(String(fields.NotAfter));
  return isNow && fields.UnhandledCriticalExtensions === null;
}

function isNamed({ names }: Certificate, host: string): boolean {
  const wanted = host.toLowerCase().replace(/\.$/, '').split('.');
  return names.dns.some((name) => {
    const parts = name.toLowerCase().split('.');
    const [first] = parts;
    return (
      parts.length === wanted.length && parts.every((part, at) => part === wanted[at] || (at === 0 && first === '*'))
    );
  });
}

/** Every certificate of a chain that names purposes must name one of the wanted ones. */
function hasPurpose(chain: readonly Certificate[], wanted: readonly number[]): boolean {
  if (wanted.includes(0)) return true;
  return wanted.some((purpose) =>
    chain.every(({ fields: { ExtKeyUsage: known, UnknownExtKeyUsage: unknown } }) => {
      const listed = Array.isArray(known) ? known : [];
      if (listed.length === 0 && unknown === null) return true;
      return listed.includes(0) || listed.includes(purpose);
    }),
  );
}
