import * as z from 'zod';
import { type AttestationId, type FlowId, isId } from '#shared/base/ids.ts';
import { type FieldErrors, invalidField, noErrors, refuseIfAny } from '#shared/base/validation.ts';
import { presentEnvironment } from '#shared/environments/present-environment.ts';
import { firedNotice } from '#shared/environments/rules/environment-notices.ts';
import { readFired } from '#shared/environments/snapshots/fired-events.ts';
import { readAttestation } from '#shared/evidence/records/attestation-records.ts';
import { readFlowNames } from '#shared/evidence/records/flows.ts';
import { type Moment, readMoments } from '#shared/evidence/records/moments.ts';
import { readBesideFlow } from '#shared/evidence/records/trails.ts';
import type { Organization } from '#shared/http/endpoint.ts';
import { integerField } from '#shared/http/query-fields.ts';
import type { Services } from '#shared/http/services.ts';
import type { ExplainedEvent } from '#shared/notifications/explain-event.ts';
import { eventNotFound } from '#shared/notifications/rules/sentences.ts';
import { momentEventId, momentNotice } from '#shared/notifications/rules/triggers.ts';

/** Triggers that snapshots fire. */
const SNAPSHOT_TRIGGERS = [
  'ON_STARTED_ARTIFACT',
  'ON_EXITED_ARTIFACT',
  'ON_NON_COMPLIANT_ENV',
  'ON_COMPLIANT_ENV',
] as const;

/** The three ways to name an event (`rules/notifications.md#who-was-told`). */
export const EventQuery = z.object({
  attestation_id: z.string().optional().meta({ description: 'The event of this attestation' }),
  flow: z.string().optional().meta({ description: 'With `trail` and `moment`: name of the flow' }),
  trail: z.string().optional().meta({ description: 'Name of the trail' }),
  moment: integerField({ min: 1 }).optional().meta({ description: 'Number of the moment' }),
  environment: z.string().optional().meta({ description: 'With `snapshot` and `trigger`: name of the environment' }),
  snapshot: integerField({ min: 1 }).optional().meta({ description: 'Number of the snapshot' }),
  trigger: z.enum(SNAPSHOT_TRIGGERS).optional().meta({ description: 'What the snapshot fired' }),
  fingerprint: z.string().optional().meta({ description: 'SHA-256 of the artifact that started or exited' }),
  artifact_name: z.string().optional().meta({ description: 'Name of the artifact that started or exited' }),
});
type EventQuery = z.output<typeof EventQuery>;

const FORMS = [['attestation_id'], ['flow', 'trail', 'moment'], ['environment', 'snapshot', 'trigger']] as const;
const HINT = 'attestation_id; flow, trail and moment; or environment, snapshot and trigger';

/** Refuses a query that does not name one event. @throws ApiError 400 with a text for each missing parameter */
export function requireOneEvent(query: Partial<EventQuery>, refused: ReadonlySet<string>): void {
  const isGiven = (name: keyof EventQuery) => query[name] !== undefined || refused.has(name);
  const begun = FORMS.filter((form) => form.some(isGiven));
  const [form] = begun;
  if (!form) throw invalidField('query.attestation_id', `Name an event: ${HINT}`, undefined);
  const errors: FieldErrors = noErrors();
  for (const name of form) if (!isGiven(name)) errors[`query.${name}`] = 'Field required';
  for (const other of begun.slice(1)) {
    for (const name of other.filter(isGiven)) errors[`query.${name}`] = `Name one event: ${HINT}`;
  }
  refuseIfAny(errors);
}

/** An event for an answer. An event that fires nothing has no notice. */
export interface FoundEvent extends ExplainedEvent {
  id: string;
  type: string;
}

/** Finds the event that a query names. @throws ApiError 404 if there is none */
export function findEvent(services: Services, org: Organization, query: EventQuery): Promise<FoundEvent> {
  const { attestation_id: attestation, flow, trail, moment, environment, snapshot, trigger } = query;
  if (attestation !== undefined) return eventOfAttestation(services, org, attestation);
  if (flow !== undefined && trail !== undefined && moment !== undefined) {
    return eventOfMoment(services, org, { flow, trail, moment });
  }
  if (environment === undefined || snapshot === undefined || trigger === undefined) throw eventNotFound();
  return eventOfSnapshot(services, org, { ...query, environment, snapshot, trigger });
}

async function eventOfAttestation({ table }: Services, org: Organization, id: string): Promise<FoundEvent> {
  const record = isId<AttestationId>(id) ? await readAttestation(table, org.id, id) : null;
  if (!record) throw eventNotFound();
  const { flow, trail, number } = record;
  const [names, [moment]] = await Promise.all([
    readFlowNames(table, org.id, [flow]),
    readMoments(table, org.id, flow, trail, { from: number, to: number }),
  ]);
  return foundMoment(moment, names.get(flow) ?? '', flow, org);
}

async function eventOfMoment(
  { table }: Services,
  org: Organization,
  { flow: name, trail, moment: number }: { flow: string; trail: string; moment: number },
): Promise<FoundEvent> {
  const { flow, beside: moments } = await readBesideFlow(table, org.id, name, (id) =>
    readMoments(table, org.id, id, trail, { from: number, to: number }),
  );
  if (!flow) throw eventNotFound();
  return foundMoment(moments[0], flow.name, flow.id, org);
}

function foundMoment(moment: Moment | undefined, flowName: string, flow: FlowId, org: Organization): FoundEvent {
  if (!moment) throw eventNotFound();
  const notice = momentNotice(moment, flowName, org.name);
  return { id: momentEventId(moment), type: notice?.eventType ?? moment.kind, notice, subject: flow, at: moment.at };
}

async function eventOfSnapshot(
  services: Services,
  org: Organization,
  query: EventQuery & { environment: string; snapshot: number; trigger: string },
): Promise<FoundEvent> {
  const head = await presentEnvironment(services.table, org, query.environment);
  const found = await readFired(services, org.id, head, query.snapshot);
  const wanted = (found?.fired ?? []).filter(
    ({ trigger, event }) =>
      trigger === query.trigger &&
      (query.fingerprint ?? event?.row.fingerprint) === event?.row.fingerprint &&
      (query.artifact_name ?? event?.row.name) === event?.row.name,
  );
  const [fired] = wanted;
  if (!found || !fired) throw eventNotFound();
  if (wanted.length > 1) {
    const name = query.fingerprint === undefined ? 'fingerprint' : 'artifact_name';
    throw invalidField(`query.${name}`, 'Several artifacts fit. Name one', query[name]);
  }
  const notice = firedNotice({ org: org.name, environment: head }, found.snapshot, fired, null);
  return { id: notice.event, type: notice.eventType, notice, subject: head.id, at: found.snapshot.at };
}
