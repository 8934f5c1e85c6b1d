import { storedId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { snapshotEntry } from '#shared/environments/records/chain.ts';
import { snapshotContentKey, snapshotKey } from '#shared/environments/records/keys.ts';
import { storedSnapshot } from '#shared/environments/records/snapshots.ts';
import { evaluationEntry } from '#shared/evaluations/records/evaluation-entry.ts';
import { type EvaluationRecord, readEvaluation } from '#shared/evaluations/records/evaluations.ts';
import { AttestationRecord } from '#shared/evidence/records/attestation-records.ts';
import { attestationKey, momentPartition } from '#shared/evidence/records/keys.ts';
import { momentEntry, type StoredMoment, storedMoment } from '#shared/evidence/records/moments.ts';
import { findingsText } from '#shared/evidence/rules/record-text.ts';
import { evaluationOpenings, momentOpenings, snapshotOpenings } from '#shared/log/receipts/openings.ts';
import { sequence } from '#shared/table/keys.ts';
import { keyText } from '#shared/table/table.ts';
import type { Section } from '../pages.ts';
import type { PackageContext } from './package-plan.ts';
import { type PackagedRecord, packagedRecords, shownText } from './proved-records.ts';

/** Records of one page. */
const MOMENTS_AT_ONCE = 50;
/** A content can have some megabytes. */
const SNAPSHOTS_AT_ONCE = 4;
const READ_AT_ONCE = 8;

/** The moments of the trails of a package, trail after trail. */
export const moments: Section<PackageContext> = {
  name: 'moments',
  async *pages(context, place) {
    const { org, table, plan } = context;
    for (const [range, { flow, trail, last }] of plan.trails.entries()) {
      if (range < (place?.range ?? 0)) continue;
      let after = range === place?.range ? Number(place.after) : 0;
      while (after < last) {
        const to = Math.min(last, after + MOMENTS_AT_ONCE);
        const pk = momentPartition(org, flow, trail);
        const items = await table.query({ pk, from: sequence(after + 1), to: sequence(to) });
        const records = await inParallel(items, READ_AT_ONCE, (item) => momentRecord(context, storedMoment(item)));
        after = to;
        yield { ...(await packagedRecords(context, records)), place: { key: 'moments', range, after: String(after) } };
      }
    }
  },
};

async function momentRecord(context: PackageContext, moment: StoredMoment): Promise<PackagedRecord> {
  const { org } = context;
  const [texts, more] = await Promise.all([momentOpenings(context, org, moment), attached(context, moment)]);
  const { flow, trail, number } = moment;
  return {
    file: 'moments',
    item: 'moment',
    subject: { kind: 'trail', flow, trail, number },
    entry: momentEntry(org, moment),
    texts,
    more,
  };
}

/** Files and findings of the attestation that a moment is about. The text `record` has the commitments to them. */
async function attached(
  { org, table }: PackageContext,
  { kind, record }: StoredMoment,
): Promise<Record<string, unknown>> {
  if (record === undefined || kind === 'artifact_creation_reported') return {};
  const item = await table.get(attestationKey(org, storedId(record)));
  if (!item) return {};
  const { files, derived, findingsSalt = null, pledges, facts } = AttestationRecord.parse(item);
  const found = findingsText(derived) ?? null;
  return {
    ...(files.length > 0 && {
      files: files.map(({ sha256, salt = null, erased }) => shownText({ salt, text: sha256, erased })),
    }),
    ...(pledges.findings && { findings: shownText({ salt: findingsSalt, text: found, erased: facts.erased }) }),
  };
}

/** The snapshots of a package with their contents. */
export const snapshots: Section<PackageContext> = {
  name: 'snapshots',
  async *pages(context, place) {
    const { plan } = context;
    for (let start = place?.range ?? 0; start < plan.snapshots.length; start += SNAPSHOTS_AT_ONCE) {
      const some = plan.snapshots.slice(start, start + SNAPSHOTS_AT_ONCE);
      const records = await Promise.all(some.map((one) => snapshotRecord(context, one)));
      yield {
        ...(await packagedRecords(context, records)),
        place: { key: 'snapshots', range: start + SNAPSHOTS_AT_ONCE, after: null },
      };
    }
  },
};

async function snapshotRecord(
  context: PackageContext,
  { environment, index }: PackageContext['plan']['snapshots'][number],
): Promise<PackagedRecord> {
  const { org, table } = context;
  const [key, contentKey] = [snapshotKey(org, environment, index), snapshotContentKey(org, environment, index)];
  const found = await table.getMany([key, contentKey]);
  const item = found.get(keyText(key));
  if (!item) throw new Error(`Snapshot ${index} of environment ${environment} is gone`);
  const snapshot = storedSnapshot(item);
  return {
    file: 'snapshots',
    item: 'snapshot',
    subject: { kind: 'environment', environment, number: index },
    entry: snapshotEntry(org, environment, snapshot),
    texts: await snapshotOpenings(context, org, environment, snapshot, found.get(keyText(contentKey))),
  };
}

/** The evaluations of a package. One that is still pending has no entry, so a package waits for its end. */
export const evaluations: Section<PackageContext> = {
  name: 'evaluations',
  async *pages(context, place) {
    for (let at = place?.range ?? 0; at < context.plan.evaluations.length; at += 1) {
      const record = await readEvaluation(context.table, context.org, context.plan.evaluations[at] ?? '');
      const entry = record && evaluationEntry(context.org, record);
      const records = record && entry ? [await evaluationRecord(context, record, entry)] : [];
      yield { ...(await packagedRecords(context, records)), place: { key: 'evaluations', range: at + 1, after: null } };
    }
  },
};

async function evaluationRecord(
  context: PackageContext,
  record: EvaluationRecord,
  entry: Buffer,
): Promise<PackagedRecord> {
  return {
    file: 'evaluations',
    item: 'evaluation',
    subject: { kind: 'evaluation', evaluation: record.id },
    entry,
    texts: await evaluationOpenings(context, context.org, record),
  };
}
