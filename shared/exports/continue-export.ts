import { type Id, newId, type OrganizationId } from '#shared/base/ids.ts';
import { runningRelease } from '#shared/base/release.ts';
import { type Duration, plus } from '#shared/base/time.ts';
import { verifierKey } from '#shared/tlog/keys.ts';
import { digestOf } from './archive.ts';
import type { ExportContext } from './context.ts';
import { removeExport } from './erase-exports.ts';
import { keyFiles } from './key-files.ts';
import { pinnedIndexes } from './log-section.ts';
import { makeStep, readTags } from './make-step.ts';
import { findCheckpoint } from './pin-log.ts';
import { ExportPlan, planExport } from './plan.ts';
import {
  finishExport,
  type Lease,
  releaseLease,
  storePinned,
  storeProgress,
  storeUpload,
  takeLease,
} from './records/export-writes.ts';
import { type ExportProgress, type ExportRecord, type PinnedExport, readExport } from './records/exports.ts';
import { isPinned } from './rules/life-of-an-export.ts';
import { PROBLEMS } from './rules/sentences.ts';
import type { ExporterServices } from './services.ts';

/** How long a worker has an export for itself: as long as a call of the function may take. */
export const LEASE_MICROS: Duration = 60_000_000;
/** After this many calls that finished no step, an export has failed. */
export const MOST_ATTEMPTS = 10;

/**
 * What a call did. `unknown`: there is no such export. `over`: the export is finished. `erased`: an erasure has removed the
 * export. `leased`: another worker makes a step. `waiting`: the export has no checkpoint yet. `more`: the export needs another call.
 */
type ExportOutcome = 'unknown' | 'over' | 'erased' | 'leased' | 'waiting' | 'more' | 'done' | 'failed';

/**
 * Makes steps of an export until the time is over (rules/exports.md#steps). If an erasure removes the export at the same time,
 * removes what this call stored (rules/erasure.md#erased-exports).
 * @throws Error for a fault of the service; a later call makes the same step again
 */
export async function continueExport(
  services: ExporterServices,
  org: OrganizationId,
  id: Id,
  isTime: () => boolean,
): Promise<ExportOutcome> {
  const isErased = async () => {
    const record = await readExport(services.table, org, id);
    if (record?.state !== 'erased') return false;
    await removeExport(services.files, org, record);
    return true;
  };
  try {
    const outcome = await continueRunning(services, org, id, isTime);
    const mayBeErased = outcome === 'over' || outcome === 'leased';
    return mayBeErased && (await isErased()) ? 'erased' : outcome;
  } catch (error) {
    // An erasure discards the upload and removes the notes, so calls of this worker can fail.
    if (await isErased()) return 'erased';
    throw error;
  }
}

async function continueRunning(
  services: ExporterServices,
  org: OrganizationId,
  id: Id,
  isTime: () => boolean,
): Promise<ExportOutcome> {
  const { table, clock } = services;
  const record = await readExport(table, org, id);
  if (!record) return 'unknown';
  if (record.state !== 'running') return 'over';
  if (record.attempts >= MOST_ATTEMPTS) return fail(services, org, record, PROBLEMS.attempts);
  const now = clock.now();
  const lease: Lease = { org, id, owner: newId(now) };
  if (!(await takeLease(table, lease, plus(now, LEASE_MICROS), now))) return 'leased';
  // Read again: another worker may have stored checkpoint or progress between the first read and the lease.
  const reserved = await readExport(table, org, id);
  if (!reserved) return 'unknown';
  const pinned = isPinned(reserved) ? reserved : await pin(services, lease, reserved);
  if (typeof pinned === 'string') return pinned;
  const progress = await makeSteps(services, lease, pinned, isTime);
  if (progress === null) return 'leased';
  if (progress.stage === 'complete') return complete(services, org, pinned, progress);
  await releaseLease(table, lease);
  return 'more';
}

/** Pins a reserved export to its checkpoint. @returns an outcome if that is not possible in this call */
async function pin(
  services: ExporterServices,
  lease: Lease,
  record: ExportRecord,
): Promise<PinnedExport | ExportOutcome> {
  const { table } = services;
  const log = await findCheckpoint(services, lease.org, record);
  if (log === 'none') return fail(services, lease.org, record, PROBLEMS.checkpoint);
  if (log === 'wait') {
    await releaseLease(table, lease);
    return 'waiting';
  }
  const pinned = { log, release: runningRelease() };
  return (await storePinned(table, lease, pinned)) ? { ...record, ...pinned } : 'leased';
}

async function fail(
  { table, clock }: ExporterServices,
  org: OrganizationId,
  record: ExportRecord,
  problem: string,
): Promise<ExportOutcome> {
  return (await finishExport(table, org, record, { problem }, clock.now())) === 'done' ? 'failed' : 'over';
}

/** @returns null if another worker has taken over, or an erasure has removed the export */
async function makeSteps(
  services: ExporterServices,
  lease: Lease,
  record: PinnedExport,
  isTime: () => boolean,
): Promise<ExportProgress | null> {
  const { table, files } = services;
  const { org, id } = lease;
  const upload = record.progress.upload ?? (await files.begin(org, id));
  if (record.progress.upload === null && !(await storeUpload(table, lease, upload))) {
    await files.discard(org, id, upload);
    return null;
  }
  const context = await contextOf(services, org, record);
  let progress: ExportProgress = { ...record.progress, upload };
  while (progress.stage !== 'complete') {
    progress = await makeStep({ context, record, isTime }, progress);
    if (!(await storeProgress(table, lease, progress))) return null;
    if (!isTime()) break;
  }
  return progress;
}

async function contextOf(
  { table, objects, files, clock, keys, witness, verifier }: ExporterServices,
  org: OrganizationId,
  record: PinnedExport,
): Promise<ExportContext> {
  const { id, name, log, started, progress } = record;
  const now = clock.now();
  const plan =
    progress.steps === 0
      ? await planExport(table, org, now)
      : ExportPlan.parse(JSON.parse((await files.getNote(org, id, PLAN)).toString('utf8')));
  if (progress.steps === 0) await files.putNote(org, id, PLAN, Buffer.from(JSON.stringify(plan)));
  return {
    org,
    name,
    table,
    objects,
    files,
    log,
    plan,
    started,
    now,
    logIndexes: pinnedIndexes(table, org, log),
    logKey: async (origin) => verifierKey(origin, 'ed25519', (await keys.log()).publicKey),
    keyFiles: () => keyFiles(keys, log, witness.policy),
    verifier,
    templates: new Set(),
  };
}

const PLAN = 'plan';

async function complete(
  services: ExporterServices,
  org: OrganizationId,
  record: ExportRecord,
  { note, hash, upload, bytes }: ExportProgress,
): Promise<ExportOutcome> {
  const { table, files, clock } = services;
  if (note === null || hash === null || upload === null) throw new Error(`Export ${record.id} is complete and empty`);
  const tags = await readTags(files, org, record.id, note);
  await files.complete(org, record.id, upload, tags, bytes);
  const sha256 = await digestOf(hash);
  const outcome = await finishExport(table, org, record, { sha256 }, clock.now());
  if (outcome === 'erasing') return fail(services, org, record, PROBLEMS.erasure);
  return outcome === 'done' ? 'done' : 'over';
}
