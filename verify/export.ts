import type { TrustRoot } from '#shared/signatures/trust-root.ts';
import { openCheckpoint, type Policy } from '#shared/tlog/policy.ts';
import { newTiles, tilePath } from '#shared/tlog/tiles.ts';
import { verifyBagInfo, verifyFormat, verifyManifest, verifyTagManifest } from './bag.ts';
import type { Chains } from './chains.ts';
import type { ExportFiles } from './export-files.ts';
import { Fault, inPlace } from './fault.ts';
import { askAboutAges } from './freshness/ages.ts';
import { verifySilences } from './freshness/silences.ts';
import { verifyKeyFiles } from './key-files.ts';
import { type LogFiles, verifyLog } from './log.ts';
import { verifyAudit } from './records/audit.ts';
import { verifyBuilds } from './records/builds.ts';
import { verifyCovered } from './records/covered-lines.ts';
import { DECISIONS } from './records/decisions.ts';
import { verifyEffects } from './records/effects.ts';
import { verifyEnvironments } from './records/environments.ts';
import { verifyEvaluations } from './records/evaluations.ts';
import { verifyGaps } from './records/gaps.ts';
import { countOtherLines, OBJECTS } from './records/lines.ts';
import { verifyLinks } from './records/links-of-environments.ts';
import { verifyPresence } from './records/presence.ts';
import { ProofState } from './records/proof-state.ts';
import { verifyRequired } from './records/required-lines.ts';
import { verifyTrails } from './records/trails.ts';
import type { Verified } from './scope.ts';
import { verifyStatements } from './statements.ts';

export interface ExportOptions {
  policy: Policy;
  /** The key of statements as PEM. Without it, statements are compared with the log only. */
  statementKey?: string | undefined;
  /** Public roots of Sigstore that count beside the one of the verifier. */
  publicRoots?: readonly TrustRoot[] | undefined;
}

const LOG = 'data/log/';

/** Verifies the files of an export (rules/verification.md#export). @throws Fault that names the first fault */
export async function verifyFiles(
  files: ExportFiles,
  { policy, statementKey, publicRoots }: ExportOptions,
): Promise<Verified> {
  await verifyFormat(files);
  await verifyManifest(files);
  if (!files.facts.has(`${LOG}checkpoint`)) {
    throw new Fault(`${LOG}checkpoint`, 'the export has no checkpoint, so nothing in it is proved');
  }
  const log: LogFiles = { read: (path) => files.read(LOG + path), place: (path) => LOG + path };
  const note = await log.read('checkpoint');
  const checkpoint = inPlace(log.place('checkpoint'), () => openCheckpoint(note, policy));
  await verifyBagInfo(files, checkpoint);
  await verifyTagManifest(files);
  await verifyKeyFiles(files, policy, checkpoint, statementKey);
  requireOnlyTiles(files, checkpoint.size);
  verifyNames(files);
  const chains = await verifyLog(log, checkpoint);
  const state = new ProofState(files, chains, checkpoint.size, publicRoots);
  for (const [name, decision] of Object.entries(DECISIONS)) {
    if ('note' in decision) state.scope.note(name, decision.note);
  }
  await verifyAudit(state);
  // Before the covers: what does not follow is named in words, a changed line only by its number.
  const arrivals = await verifyGaps(state);
  await verifyCovered(state);
  const days = await verifyPresence(state);
  await verifyLinks(state);
  const verifyFreshness = await askAboutAges(state);
  const trails = await verifyTrails(state, (moment) => arrivals.see(moment));
  await verifyEvaluations(state);
  const snapshots = await verifyEnvironments(state);
  verifyFreshness();
  const states = await verifySilences(state, days);
  await verifyEffects(state, snapshots);
  await verifyBuilds(state);
  const keys = policy.logs.map(({ key }) => key).filter(({ name }) => name === checkpoint.origin);
  const statements = await verifyStatements(state, {
    checkpoint,
    signed: note.toString('utf8'),
    keys,
    pem: statementKey,
  });
  await verifyRequired(state, trails);
  state.finish();
  await countOtherLines(state);
  countFiles(state, statementKey);
  const counts = {
    export: files.folder,
    files: files.facts.size,
    log: checkpoint.origin,
    entries: checkpoint.size,
    root: checkpoint.root.toString('hex'),
    witnesses: checkpoint.signatures.filter(({ seconds }) => seconds !== undefined).length,
    ...countsOf(chains),
    'records proved': state.counts.proved,
    'texts opened': state.counts.openings,
    'texts erased': state.counts.erased,
    'verdicts of trails': verdictsText(state.verdicts),
    'states of environments': verdictsText(states),
    'statements verified': statements,
    'bundles verified': state.counts['bundles verified'],
    'bundles not verified': state.counts['bundles not verified'],
    'records after the checkpoint': state.counts['after the checkpoint'],
    'texts without an entry': state.counts['not covered by the log'],
  };
  return { counts, scope: state.scope.rows(), exceptions: state.scope.exceptions() };
}

const FOR_READERS = ['data/README.md', 'data/verify.mjs', 'data/keys/policy'];

/** Counts what nothing proves beside the records: files for readers, and objects that no line names. */
function countFiles({ files, scope }: ProofState, statementKey: string | undefined): void {
  const unread = statementKey === undefined ? [...FOR_READERS, 'data/keys/statements.pem'] : FOR_READERS;
  for (const path of unread) if (files.facts.has(path)) scope.line(path);
  for (const path of files.facts.keys()) {
    const [folder, sha256 = ''] = path.split(/\/(?=[^/]*$)/);
    if (folder !== undefined && OBJECTS.includes(folder) && !scope.isNamed(sha256)) scope.line(folder);
  }
}

/** Counts verdicts by their words: `3 COMPLIANT, 1 NON-COMPLIANT`. */
const verdictsText = (verdicts: ReadonlyMap<string, number>): string =>
  verdicts.size === 0
    ? 'none'
    : [...verdicts]
        .toSorted()
        .map(([word, count]) => `${count} ${word}`)
        .join(', ');

export const countsOf = ({ chains, counts }: Chains): Verified['counts'] => ({
  chains,
  moments: counts.trail,
  snapshots: counts.environment,
  'audit entries': counts.audit,
  evaluations: counts.evaluation,
  statements: counts.statement,
});

/** A file that does not belong to the log of this size could mislead other programs. */
function requireOnlyTiles({ facts }: ExportFiles, size: number): void {
  const expected = new Set([`${LOG}checkpoint`]);
  for (const tile of newTiles(0, size)) expected.add(`${LOG}tile/${tilePath(tile)}`);
  for (const path of facts.keys()) {
    if (path.startsWith(LOG) && !expected.has(path)) throw new Fault(path, `a log of ${size} entries has no such file`);
  }
}

/** What an export has below `data`. */
const KNOWN =
  /^data\/(?:README\.md|verify\.mjs|keys\/(?:log\.vkey|policy|trusted_root\.json|statements\.pem)|(?:bodies|files|log|records|statements)\/.+)$/;

/** Verifies that the export has no other files, and that texts and attachments are stored under their digests. */
function verifyNames({ facts }: ExportFiles): void {
  for (const [path, { sha256 }] of facts) {
    if (path.startsWith('data/') && !KNOWN.test(path)) throw new Fault(path, 'an export has no such file');
    const [, name] = /^data\/(?:bodies|files)\/(.+)$/.exec(path) ?? [];
    if (name !== undefined && name !== sha256) throw new Fault(path, `the SHA-256 of the file is ${sha256}`);
  }
}
