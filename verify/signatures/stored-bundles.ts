import { hash } from 'node:crypto';
import * as z from 'zod';
import { canonicalJson } from '#shared/base/proofs/hash-chain.ts';
import { slotProof } from '#shared/evidence/rules/slot-proof.ts';
import { Verification } from '#shared/evidence/rules/verification.ts';
import type { TrustRoot } from '#shared/signatures/trust-root.ts';
import { SignerRecord, TrustRootRecord } from '#shared/signers/rules/records.ts';
import { Fault } from '../fault.ts';
import { fitting, linesOf } from '../records/lines.ts';
import type { ProofState } from '../records/proof-state.ts';

/** The part of an attestation that a bundle is verified for. */
interface AttestationOfBundle {
  id: string;
  /** SHA-256 of the artifact; null if the attestation is about the whole trail. */
  fingerprint: string | null;
  /** What the service says of the signature; not checked yet. */
  verification: unknown;
  /** An erased file has an empty digest; that the log has its erasure was verified with the record. */
  files: readonly { sha256: string }[];
}

type BundleState = Pick<ProofState, 'files' | 'scope'> & {
  /** Public roots that the caller trusts. */
  publicRoots: readonly TrustRoot[];
  counts: Pick<ProofState['counts'], 'bundles verified' | 'bundles not verified'>;
};

/** What the members of a verification come from, where another value in the record is a fault. */
type Again = ReturnType<typeof import('./verify-again.ts').verifyAgain>;

/** Names a version of a trust root or of a signer. */
const versionKey = (name: string, version: number): string => `${version} ${name}`;

/** The name of the rows in the scope. */
const ROW = 'attestations/bundle';

/**
 * Verifies again what others signed, with the trust roots and signers of the export (rules/verification.md#bundles-of-an-export). The
 * audit log covers both, and commitments cover what an attestation says.
 */
export class StoredBundles {
  readonly #state: BundleState;
  #roots: Map<string, TrustRootRecord> | undefined;
  #signers = new Map<string, SignerRecord>();
  /** The last bundle: the attestations of its artifacts follow each other. */
  #last: { key: string; again: Again } | undefined;

  constructor(state: BundleState) {
    this.#state = state;
  }

  /**
   * Verifies the bundle of an attestation, and compares all that the service says of it.
   *
   * @param isLogged whether the log of the export has the attestation
   * @throws Fault that names the attestation
   */
  async verify(place: string, attestation: AttestationOfBundle, isLogged: boolean): Promise<void> {
    const { id, files } = attestation;
    const said = fitting(place, Verification.partial(), attestation.verification);
    const what = `the bundle of attestation ${id}`;
    if (said.grade !== 'signed' && said.grade !== 'logged') {
      // Who is asked for depends on the request, so a refusal cannot be repeated. It raises nothing.
      this.#state.counts['bundles not verified'] += 1;
      return;
    }
    const { signer, root, bundle_digest: digest } = said;
    if (!signer || !root || !digest)
      throw new Fault(place, `${what} is ${said.grade}, and names no signer, root or digest`);
    this.#state.scope.line(ROW);
    const file = signedFileOf(said);
    const lacking = [digest, ...(file === undefined ? [] : [file])].find(
      (one) => !files.some(({ sha256 }) => sha256 === one),
    );
    if (lacking !== undefined && files.some(({ sha256 }) => sha256 === '')) {
      this.#state.scope.stands(ROW, 'erased');
      return;
    }
    if (lacking === digest) {
      throw new Fault(place, `${what} has the SHA-256 ${digest}, and the attestation has no such file`);
    }
    if (lacking !== undefined) {
      throw new Fault(place, `${what} signs the file ${lacking}, and the attestation has no such file`);
    }
    await this.#readTrust();
    const trust = { signer: this.#signers.get(versionKey(signer.name, signer.version)), root: this.#rootOf(root) };
    if (!trust.signer || (trust.root === undefined && root.version !== null)) {
      const [kind, { name, version }] = trust.signer ? ['trust root', root] : ['signer', signer];
      if (isLogged) throw new Fault(place, `no line has version ${version} of ${kind} '${name}', which ${what} names`);
      this.#state.scope.stands(ROW, 'later');
      return;
    }
    const key = canonicalJson([digest, signer, root]);
    // Few exports have bundles, so the libraries are loaded with the first one.
    const { verifyAgain, publicRootOf } = await import('./verify-again.ts');
    const publicRoot = publicRootOf(root.digest, this.#state.publicRoots);
    if (root.version === null && !publicRoot) {
      this.#state.scope.note(ROW, `give the public root with the SHA-256 ${root.digest}: --public-root FILE`);
      return;
    }
    if (this.#last?.key !== key) {
      const read = (sha256: string) => this.#state.files.read(`data/files/${sha256}`);
      const text = (await read(digest)).toString('utf8');
      const bytes = file === undefined ? undefined : await read(file);
      this.#last = { key, again: verifyAgain(text, { signer: trust.signer, root: trust.root, publicRoot }, bytes) };
    }
    this.#compare(place, attestation, said, this.#last.again);
    this.#state.scope.stands(ROW, isLogged ? 'follows' : 'later');
    this.#state.counts['bundles verified'] += 1;
  }

  #compare(place: string, { id, fingerprint }: AttestationOfBundle, said: Partial<Verification>, again: Again): void {
    const what = `the bundle of attestation ${id}`;
    if ('refusal' in again) throw new Fault(place, `${what} is not verified: ${again.refusal}`);
    const { found, artifacts } = again;
    for (const name of COMPARED) {
      const [stated, own] = [said[name], found[name]].map((value) => canonicalJson(value ?? null));
      if (said[name] !== undefined && stated !== own) {
        throw new Fault(place, `${name} of ${what} is ${stated}, the bundle gives ${own}`);
      }
    }
    const [stated, own] = [said, found].map((verification) => canonicalJson(slotProof({ verification }) ?? null));
    if (stated !== own) throw new Fault(place, `policies read ${stated} of ${what}, the bundle gives ${own}`);
    if (fingerprint !== null && !artifacts.includes(fingerprint)) {
      throw new Fault(
        place,
        `${what} is about ${artifacts.slice(0, 3).join(', ') || 'no SHA-256'}, not about ${fingerprint}`,
      );
    }
  }

  #rootOf({ name, version }: { name: string; version: number | null }): TrustRootRecord | undefined {
    return version === null ? undefined : this.#roots?.get(versionKey(name, version));
  }

  async #readTrust(): Promise<void> {
    if (this.#roots) return;
    this.#roots = new Map();
    for await (const { place, item, record } of linesOf(this.#state, 'trust-roots')) {
      if (item !== 'version') continue;
      const root = fitting(place, RootLine, record);
      if (hash('sha256', root.text) !== root.digest) {
        throw new Fault(
          place,
          `the text of version ${root.version} of trust root '${root.name}' does not have its SHA-256`,
        );
      }
      this.#roots.set(versionKey(root.name, root.version), root);
    }
    for await (const { place, item, record } of linesOf(this.#state, 'signers')) {
      if (item !== 'version') continue;
      const signer = fitting(place, SignerLine, record);
      this.#signers.set(versionKey(signer.name, signer.version), signer);
    }
  }
}

/**
 * The SHA-256 of the file that a bundle without a statement signs: the record names it as its only subject. What the record says is not
 * trusted: members that do not follow from bundle and file are a fault.
 */
function signedFileOf({ predicate_type: type, subjects = [] }: Partial<Verification>): string | undefined {
  return type === null ? (subjects[0]?.sha256 ?? undefined) : undefined;
}

const RootLine = z.looseObject(TrustRootRecord.shape);
const SignerLine = z.looseObject(SignerRecord.shape);

/**
 * What the bundle alone gives. The version of the library is that of the service, and of a summary only what policies read is compared:
 * readers of later releases may find more.
 */
const COMPARED = [
  'grade',
  'root',
  'issuer',
  'subject',
  'claims',
  'logs',
  'times',
  'predicate_type',
  'kind',
  'subjects',
  'subject_count',
  'key_digest',
  'run',
] as const satisfies readonly (keyof Verification)[];
