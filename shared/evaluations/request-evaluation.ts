import { type Fingerprint, newId, preciseId } from '#shared/base/ids.ts';
import type { FlowName, TrailName } from '#shared/base/names.ts';
import { allInOrder } from '#shared/base/parallel.ts';
import { type Micros, plus } from '#shared/base/time.ts';
import { prepareBody } from '#shared/bodies/bodies.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { readBuild } from '#shared/evidence/records/artifact-records.ts';
import { identityOf } from '#shared/evidence/reporting.ts';
import { artifactNotInOrg } from '#shared/evidence/rules/sentences.ts';
import type { Uses } from '#shared/table/uses.ts';
import { findTrail, pinTrails } from './pin-trails.ts';
import { newEvaluationWrites } from './records/evaluation-writes.ts';
import { DEADLINE_AFTER, type DecisionOrder, type EvaluationRecord } from './records/evaluations.ts';

export interface PolicyToRun {
  /** By the names of flow and trail. */
  trails: readonly { flow: FlowName; trail: TrailName }[];
  /** The instant as of which the trails are read; null: now. */
  at: Micros | null;
  /** The files of the policy: path → text. */
  files: Readonly<Record<string, string>>;
  /** JSON text of an object; null: none. */
  params: string | null;
}

/** The decision that a request wants recorded (rules/evaluations.md#decision-order). */
export interface WantedDecision {
  control: string;
  /** Name of the attestation; null: `<control>-decision`. */
  name: string | null;
  flow: FlowName;
  trail: TrailName;
  /** Null: the decision is about the whole trail. */
  fingerprint: Fingerprint | null;
}

export const REQUEST_EVALUATION: Uses = {
  writes: ['EVALUATION', 'SERIES', '@EVALUATING', 'BODY'],
  bucket: ['bodies:write'],
};

/**
 * Stores a pending evaluation; the evaluator runs it later (rules/evaluations.md#request).
 *
 * @throws ServiceError `not-found` for an unknown trail or fingerprint
 */
export async function requestEvaluation(
  { table, objects, clock }: Stores,
  by: Author<EvaluationRecord>,
  host: string,
  { trails, at, files, params }: PolicyToRun,
  wanted: WantedDecision | null,
): Promise<EvaluationRecord> {
  const { org, caller } = by;
  // Read before the trails, so that `requested_at` is not later than the `recorded_at` that is made after them.
  const requested = clock.now();
  const [{ pins, recorded }, decision] = await allInOrder([
    pinTrails({ table, clock }, org, trails, at),
    wanted && orderOf({ table }, org, wanted),
  ]);

  const id = newId(requested);
  const prepare = (text: string) => prepareBody(objects, org.id, text, `evaluation:${id}`);
  const context = prepare(JSON.stringify(pins));
  const policy = prepare(JSON.stringify(files));
  const paramsBody = params === null ? null : prepare(params);
  const bodies = [context, policy, ...(paramsBody ? [paramsBody] : [])];
  await Promise.all(bodies.map((one) => one.upload()));
  const record: EvaluationRecord = {
    id,
    status: 'pending',
    requested,
    recorded,
    deadline: plus(requested, DEADLINE_AFTER),
    by: { id: caller.id, name: caller.name, kind: caller.kind, keyId: caller.keyId, ...identityOf(caller) },
    org: org.name,
    host,
    context: context.body,
    policy: policy.body,
    params: paramsBody?.body ?? null,
    decision,
    result: null,
    allow: null,
    error: null,
    decisionId: null,
    proof: null,
    input: null,
    ended: null,
    pledges: {
      context: context.commitment,
      policy: policy.commitment,
      ...(paramsBody && { params: paramsBody.commitment }),
    },
    salts: {},
  };
  await table.transact([...by.claim(record), ...newEvaluationWrites(org.id, record, preciseId(clock.now()), bodies)]);
  return record;
}

/**
 * Checks and completes the decision of a request (rules/evaluations.md#decision-order). It checks trail and fingerprint now,
 * because a later failure could not be answered to the caller.
 */
async function orderOf(
  { table }: Pick<Stores, 'table'>,
  org: Organization,
  { control, name, flow, trail, fingerprint }: WantedDecision,
): Promise<DecisionOrder> {
  const [found, build] = await Promise.all([
    findTrail(table, org, { flow, trail }),
    fingerprint === null ? null : readBuild(table, org.id, fingerprint),
  ]);
  if (fingerprint !== null && !build) throw artifactNotInOrg({ fingerprint, org: org.name });
  const place = { flow: found.flow.id, trail: found.head.id };
  return { control, name: name ?? defaultName(control), flow, trail, place, fingerprint };
}

/** Replaces characters that an identifier may have and an attestation name may not. */
const defaultName = (control: string): string => `${control.replaceAll(/[^a-zA-Z0-9\-_]/g, '-')}-decision`;
