import * as z from 'zod';
import { type AttestationId, type FlowId, isId } from '#shared/base/ids.ts';
import { type FieldErrors, invalidField, noErrors, refuseIfAny } from '#shared/base/validation.ts';
import { pageUrl } from '#shared/console/pages.ts';
import { presentEnvironment } from '#shared/environments/present-environment.ts';
import { readAddition } from '#shared/environments/records/allowed.ts';
import { allowedNotice, firedNotice } from '#shared/environments/rules/environment-notices.ts';
import { readFired } from '#shared/environments/snapshots/fired-events.ts';
import { readAttestation } from '#shared/evidence/records/attestation-records.ts';
import { readFlowNames } from '#shared/evidence/records/flows.ts';
import { type Moment, readMoments } from '#shared/evidence/records/moments.ts';
import { readBesideFlow } from '#shared/evidence/records/trails.ts';
import { Fingerprint } from '#shared/evidence/rules/shared-fields.ts';
import type { Request } from '#shared/http/endpoint.ts';
import { integerField } from '#shared/http/query-fields.ts';
import type { Services } from '#functions/services.ts';
import type { ExplainedEvent } from '#shared/notifications/explain-event.ts';
import { eventNotFound } from '#shared/notifications/rules/sentences.ts';
import { momentEventId, momentNotice } from '#shared/notifications/rules/triggers.ts';

const ALLOWED = 'ON_ALLOWED_ARTIFACT';
/** Triggers of environments: those that snapshots fire, and that of an entry of the allow-list. */
const TRIGGERS = [
  'ON_STARTED_ARTIFACT',
  'ON_EXITED_ARTIFACT',
  'ON_NON_COMPLIANT_ENV',
  'ON_COMPLIANT_ENV',
  ALLOWED,
] as const;

/** The four ways to name an event (`rules/notifications.md#who-was-told`). */
export const EventQuery = z.object({
  attestation_id: z.string().optional().meta({ description: 'The event of this attestation' }),
  flow: z.string().optional().meta({ description: 'With `trail` and `moment`: name of the flow' }),
  trail: z.string().optional().meta({ description: 'Name of the trail' }),
  moment: integerField({ min: 1 }).optional().meta({ description: 'Number of the moment' }),
  environment: z.string().optional().meta({
    description: 'With `snapshot` and `trigger`, or with `trigger` and `fingerprint`: name of the environment',
  }),
  snapshot: integerField({ min: 1 }).optional().meta({
    description: 'Number of the snapshot; not for `ON_ALLOWED_ARTIFACT`',
  }),
  trigger: z.enum(TRIGGERS).optional().meta({
    description:
      'What the snapshot fired, or `ON_ALLOWED_ARTIFACT` for the entry that put `fingerprint` on the allow-list',
  }),
  fingerprint: z.string().optional().meta({
    description: 'SHA-256 of the artifact that started, exited or was allowed',
  }),
  artifact_name: z.string().optional().meta({ description: 'Name of the artifact that started or exited' }),
});
type EventQuery = z.output<typeof EventQuery>;

const FORMS = [['attestation_id'], ['flow', 'trail', 'moment'], ['environment', 'snapshot', 'trigger']] as const;
/** The form of an entry of an allow-list, and the parameters that belong to snapshots. */
const ALLOWED_FORM = ['environment', 'trigger', 'fingerprint'] as const;
const OF_SNAPSHOTS = ['snapshot', 'artifact_name'] as const;
const HINT =
  'attestation_id; flow, trail and moment; environment, snapshot and trigger; or environment, trigger ON_ALLOWED_ARTIFACT and fingerprint';

/** Refuses a query that does not name one event. @throws ServiceError 400 with a text for each missing parameter */
export function requireOneEvent(query: Partial<EventQuery>, refused: ReadonlySet<string>): void {
  const isGiven = (name: keyof EventQuery) => query[name] !== undefined || refused.has(name);
  const begun = FORMS.filter((form) => form.some(isGiven));
  const [first] = begun;
  if (!first) throw invalidField('query.attestation_id', `Name an event: ${HINT}`, undefined);
  const isAllowed = first === FORMS[2] && query.trigger === ALLOWED;
  const form = isAllowed ? ALLOWED_FORM : first;
  const others = [...begun.slice(1).flat(), ...(isAllowed ? OF_SNAPSHOTS : [])];
  const errors: FieldErrors = noErrors();
  for (const name of form) if (!isGiven(name)) errors[`query.${name}`] = 'Field required';
  for (const name of others.filter(isGiven)) errors[`query.${name}`] = `Name one event: ${HINT}`;
  refuseIfAny(errors);
}

/** An event for an answer. An event that fires nothing has no notice. */
export interface FoundEvent extends ExplainedEvent {
  id: string;
  type: string;
  /** Where it happened, with present names, and the address of the page that shows it. */
  place: { flow: string; trail: string } | { environment: string };
  page: string;
}

/** What finding an event needs of a request. */
type Place = Pick<Request, 'org' | 'host'>;

/** Finds the event that a query names. @throws ServiceError 404 if there is none */
export function findEvent(services: Services, at: Place, query: EventQuery): Promise<FoundEvent> {
  const { attestation_id: attestation, flow, trail, moment, environment, snapshot, trigger, fingerprint } = query;
  if (attestation !== undefined) return eventOfAttestation(services, at, attestation);
  if (flow !== undefined && trail !== undefined && moment !== undefined) {
    return eventOfMoment(services, at, { flow, trail, moment });
  }
  if (environment === undefined || trigger === undefined) throw eventNotFound();
  if (trigger === ALLOWED) return eventOfEntry(services, at, environment, fingerprint);
  if (snapshot === undefined) throw eventNotFound();
  return eventOfSnapshot(services, at, { ...query, environment, snapshot, trigger });
}

async function eventOfAttestation({ table }: Services, at: Place, id: string): Promise<FoundEvent> {
  const { org } = at;
  const record = isId<AttestationId>(id) ? await readAttestation(table, org.id, id) : null;
  if (!record) throw eventNotFound();
  const { flow, trail, number } = record;
  const [names, [moment]] = await Promise.all([
    readFlowNames(table, org.id, [flow]),
    readMoments(table, org.id, flow, trail, { from: number, to: number }),
  ]);
  const found = foundMoment(moment, names.get(flow) ?? '', flow, at);
  return { ...found, page: `${found.page}?attestation_id=${id}` };
}

async function eventOfMoment(
  { table }: Services,
  at: Place,
  { flow: name, trail, moment: number }: { flow: string; trail: string; moment: number },
): Promise<FoundEvent> {
  const { flow, beside: moments } = await readBesideFlow(table, at.org.id, name, (id) =>
    readMoments(table, at.org.id, id, trail, { from: number, to: number }),
  );
  if (!flow) throw eventNotFound();
  return foundMoment(moments[0], flow.name, flow.id, at);
}

function foundMoment(moment: Moment | undefined, flowName: string, flow: FlowId, at: Place): FoundEvent {
  if (!moment) throw eventNotFound();
  const notice = momentNotice(moment, flowName, at.org.name);
  const place = { flow: flowName, trail: moment.name };
  return {
    id: momentEventId(moment),
    type: notice?.eventType ?? moment.kind,
    notice,
    subject: flow,
    at: moment.at,
    place,
    page: pageUrl(at, '/{org}/flows/{flow}/trails/{trail}', place),
  };
}

/** The event of the entry that put a fingerprint on an allow-list. Later entries only change its reason or its name. */
async function eventOfEntry(
  { table }: Services,
  at: Place,
  environment: string,
  given: string | undefined,
): Promise<FoundEvent> {
  const { org } = at;
  const fingerprint = Fingerprint.safeParse(given).data;
  const head = await presentEnvironment(table, org, environment);
  const entry = fingerprint && (await readAddition(table, org.id, head.id, fingerprint));
  if (!entry?.added) throw eventNotFound();
  const { index, state } = entry;
  const notice = allowedNotice({ org: org.name, environment: head }, entry, index === 0 ? null : { index, state });
  return {
    id: notice.event,
    type: notice.eventType,
    notice,
    subject: head.id,
    at: entry.at,
    place: { environment: head.name },
    page: pageUrl(at, '/{org}/environments/{env}/allowed', { env: head.name }),
  };
}

async function eventOfSnapshot(
  services: Services,
  at: Place,
  query: EventQuery & { environment: string; snapshot: number; trigger: string },
): Promise<FoundEvent> {
  const { org } = at;
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
  return {
    id: notice.event,
    type: notice.eventType,
    notice,
    subject: head.id,
    at: found.snapshot.at,
    place: { environment: head.name },
    page: pageUrl(at, '/{org}/environments/{env}/snapshots/{expression}', {
      env: head.name,
      expression: String(query.snapshot),
    }),
  };
}
