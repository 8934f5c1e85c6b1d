import { type Id, newId, type OrganizationId } from '#shared/base/ids.ts';
import { runningRelease } from '#shared/base/release.ts';
import { type Duration, plus } from '#shared/base/time.ts';
import { verifierKey } from '#shared/tlog/keys.ts';
import { digestOf } from './archive.ts';
import type { ArchiveContext, ExportContext } from './context.ts';
import { removeExport } from './erase-exports.ts';
import { keyFiles } from './key-files.ts';
import { pinnedIndexes } from './log-section.ts';
import { type ArchiveForm, makeStep, readTags } from './make-step.ts';
import { PACKAGE_FORM } from './packages/package-form.ts';
import { pinPackage, readPackagePlan } from './packages/pin-package.ts';
import { findCheckpoint } from './pin-log.ts';
import { ExportPlan, planExport } from './plan.ts';
import type { ArchiveKind } from './records/archive-keys.ts';
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
import { bagInfo } from './rules/bag-texts.ts';
import { isPinned } from './rules/life-of-an-export.ts';
import { PROBLEMS } from './rules/sentences.ts';
import { SECTIONS } from './sections.ts';
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

interface ArchiveOf {
  org: OrganizationId;
  id: Id;
  kind: ArchiveKind;
}

/**
 * Makes steps of an export until the time is over (rules/exports.md#steps). If an erasure removes the export at the same time,
 * removes what this call stored (rules/erasure.md#erased-exports).
 * @throws Error for a fault of the service; a later call makes the same step again
 */
export async function continueExport(
  services: ExporterServices,
  archive: ArchiveOf,
  isTime: () => boolean,
): Promise<ExportOutcome> {
  const { org, id, kind } = archive;
  const isErased = async () => {
    const record = await readExport(services.table, org, id, kind);
    if (record?.state !== 'erased') return false;
    await removeExport(services.files, org, record);
    return true;
  };
  try {
    const outcome = await continueRunning(services, archive, isTime);
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
  { org, id, kind }: ArchiveOf,
  isTime: () => boolean,
): Promise<ExportOutcome> {
  const { table, clock } = services;
  const record = await readExport(table, org, id, kind);
  if (!record) return 'unknown';
  if (record.state !== 'running') return 'over';
  if (record.attempts >= MOST_ATTEMPTS) return fail(services, org, record, PROBLEMS.attempts);
  const now = clock.now();
  const lease: Lease = { org, kind, id, owner: newId(now) };
  if (!(await takeLease(table, lease, plus(now, LEASE_MICROS), now))) return 'leased';
  // Read again: another worker may have stored checkpoint or progress between the first read and the lease.
  const reserved = await readExport(table, org, id, kind);
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
  const log = record.scope
    ? await pinPackage(services, lease.org, { ...record, scope: record.scope })
    : await findCheckpoint(services, lease.org, record);
  if (typeof log === 'object' && 'problem' in log) return fail(services, lease.org, record, log.problem);
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
  const makeNext = await stepsOf(services, org, record, isTime);
  let progress: ExportProgress = { ...record.progress, upload };
  while (progress.stage !== 'complete') {
    progress = await makeNext(progress);
    if (!(await storeProgress(table, lease, progress))) return null;
    if (!isTime()) break;
  }
  return progress;
}

/** Returns what makes the next step of an archive. */
async function stepsOf(
  services: ExporterServices,
  org: OrganizationId,
  record: PinnedExport,
  isTime: () => boolean,
): Promise<(progress: ExportProgress) => Promise<ExportProgress>> {
  const shared = contextOf(services, org, record);
  const { scope } = record;
  if (scope) {
    const context = { ...shared, scope, plan: await readPackagePlan(services.files, org, record.id) };
    return (progress) => makeStep({ context, form: PACKAGE_FORM, record, isTime }, progress);
  }
  const context = { ...shared, plan: await planOf(services, org, record), templates: new Set<string>() };
  return (progress) => makeStep({ context, form: EXPORT_FORM, record, isTime }, progress);
}

const EXPORT_FORM: ArchiveForm<ExportContext> = { sections: SECTIONS, bagInfo };

/** Returns the plan of an export. The first step makes it. */
async function planOf(
  { table, files, clock }: ExporterServices,
  org: OrganizationId,
  { id, progress }: PinnedExport,
): Promise<ExportPlan> {
  if (progress.steps > 0) return ExportPlan.parse(JSON.parse((await files.getNote(org, id, PLAN)).toString('utf8')));
  const plan = await planExport(table, org, clock.now());
  await files.putNote(org, id, PLAN, Buffer.from(JSON.stringify(plan)));
  return plan;
}

function contextOf(
  { table, objects, files, clock, keys, witness, verifier }: ExporterServices,
  org: OrganizationId,
  { name, log, started }: PinnedExport,
): ArchiveContext {
  return {
    org,
    name,
    table,
    objects,
    files,
    log,
    started,
    now: clock.now(),
    logIndexes: pinnedIndexes(table, org, log),
    logKey: async (origin) => verifierKey(origin, 'ed25519', (await keys.log()).publicKey),
    keyFiles: () => keyFiles(keys, log, witness.policy),
    verifier,
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
