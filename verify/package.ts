import { createPublicKey, hash } from 'node:crypto';
import { canonicalJson } from '#shared/base/proofs/hash-chain.ts';
import { PACKAGE_FORMAT, packageFields } from '#shared/exports/rules/package-texts.ts';
import { verifyBundle } from '#shared/log/rules/verify/statement.ts';
import { openCheckpoint } from '#shared/tlog/policy.ts';
import { formatOf, verifyBagInfo, verifyManifest, verifyTagManifest } from './bag.ts';
import type { ExportOptions } from './export.ts';
import type { ExportFiles } from './export-files.ts';
import { Fault, inPlace } from './fault.ts';
import { verifyKeyFiles } from './key-files.ts';
import { PackageChains } from './package/chains.ts';
import { readReceipts } from './package/receipts.ts';
import { verifyPackageRecords } from './package/records.ts';
import { Scope, type Verified } from './scope.ts';
import type { StatementTrust } from './statements.ts';

const CHECKPOINT = 'data/log/checkpoint';

/** Verifies a package of evidence (rules/verification.md#package). @throws Fault that names the first fault */
export async function verifyPackage(files: ExportFiles, { policy, statementKey }: ExportOptions): Promise<Verified> {
  const format = await formatOf(files, 'Package-Format');
  if (format !== PACKAGE_FORMAT) {
    const reads = `this verifier reads format ${PACKAGE_FORMAT} of packages only`;
    throw new Fault(
      'bag-info.txt',
      `the package has the format '${format}', and ${reads}. Use the verifier of its release`,
    );
  }
  await verifyManifest(files);
  verifyNames(files);
  const signed = await files.read(CHECKPOINT);
  const checkpoint = inPlace(CHECKPOINT, () => openCheckpoint(signed, policy));
  const stated = await verifyBagInfo(files, checkpoint, packageFields);
  await verifyTagManifest(files);
  await verifyKeyFiles(files, policy, checkpoint, statementKey);
  const note = signed.toString('utf8');
  const receipts = await readReceipts(files, { policy, note, checkpoint });
  const state = { files, scope: new Scope(), receipts, chains: new PackageChains() };
  const counts = await verifyPackageRecords(state);
  state.chains.check();
  const unread = [...receipts].find(([index]) => !counts.read.has(index));
  if (unread) throw new Fault(`data/receipts/${unread[0]}.tlog-proof`, 'no line of the records has this entry');
  const keys = policy.logs.map(({ key }) => key).filter(({ name }) => name === checkpoint.origin);
  const trust = { checkpoint, signed: note, keys, pem: statementKey };
  const statements = await verifyPackageStatements(files, trust);
  countFiles(state, counts.attached, statementKey);
  return {
    counts: {
      package: stated.get('External-Description') ?? '',
      log: checkpoint.origin,
      entries: checkpoint.size,
      root: checkpoint.root.toString('hex'),
      witnesses: checkpoint.signatures.filter(({ seconds }) => seconds !== undefined).length,
      'receipts verified': receipts.size,
      'chains without a gap': state.chains.size,
      'texts opened': counts.opened,
      'texts marked as erased': counts.erased,
      'attachments verified': counts.attached.size,
      'statements compared': statements,
      'statements verified': statementKey === undefined ? 0 : statements,
    },
    scope: state.scope.rows(),
    exceptions: [...state.scope.exceptions(), 'which records the package holds is the choice of the service'],
  };
}

/** Verifies each bundle, and that the file of envelopes has exactly their envelopes. @returns how many bundles there are */
async function verifyPackageStatements(files: ExportFiles, trust: StatementTrust): Promise<number> {
  const key = trust.pem === undefined ? null : createPublicKey(trust.pem);
  const envelopes = new Map<string, string>();
  for (const path of files.facts.keys()) {
    if (!path.endsWith('.sigstore.json')) continue;
    const text = (await files.read(path)).toString('utf8');
    // The bundle has the proof of its entry itself.
    const envelope = verifyBundle(() => undefined, trust, path, text, key);
    envelopes.set(hash('sha256', canonicalJson(envelope)), path);
  }
  const count = envelopes.size;
  const path = 'data/statements/all.intoto.jsonl';
  const lines = files.facts.has(path) ? (await files.read(path)).toString('utf8').split('\n').slice(0, -1) : [];
  for (const [i, line] of lines.entries()) {
    if (envelopes.delete(hash('sha256', line))) continue;
    throw new Fault(`${path}: line ${i + 1}`, 'the line is not the envelope of a bundle, or an earlier line has it');
  }
  const [missing] = envelopes.values();
  if (missing !== undefined) throw new Fault(path, `no line has the envelope of ${missing}`);
  return count;
}

const KNOWN =
  /^data\/(?:README\.md|verify\.mjs|log\/checkpoint|keys\/(?:log\.vkey|policy|trusted_root\.json|statements\.pem)|receipts\/\d+\.tlog-proof|files\/[0-9a-f]{64}|records\/(?:moments|snapshots|evaluations)-\d{4}\.ndjson|statements\/(?:[0-9a-f-]+\.sigstore\.json|all\.intoto\.jsonl))$/;

function verifyNames({ facts }: ExportFiles): void {
  for (const [path, { sha256 }] of facts) {
    if (path.startsWith('data/') && !KNOWN.test(path)) throw new Fault(path, 'a package has no such file');
    const [, name] = /^data\/files\/(.+)$/.exec(path) ?? [];
    if (name !== undefined && name !== sha256) throw new Fault(path, `the SHA-256 of the file is ${sha256}`);
  }
}

const FOR_READERS = ['data/README.md', 'data/verify.mjs', 'data/keys/policy'];

/** Counts files for readers, which nothing proves. @throws Fault for an attachment that no record names */
function countFiles(
  { files, scope }: { files: ExportFiles; scope: Scope },
  attached: ReadonlySet<string>,
  statementKey: string | undefined,
): void {
  const unread = statementKey === undefined ? [...FOR_READERS, 'data/keys/statements.pem'] : FOR_READERS;
  for (const path of unread) if (files.facts.has(path)) scope.line(path);
  for (const path of files.facts.keys()) {
    const [, sha256] = /^data\/files\/(.+)$/.exec(path) ?? [];
    if (sha256 !== undefined && !attached.has(sha256)) throw new Fault(path, 'no record has this attachment');
  }
}
