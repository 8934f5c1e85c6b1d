import { type AttestationId, type FlowId, isId } from '#shared/base/ids.ts';
import type { EnvironmentName, FlowName, TrailName } from '#shared/base/names.ts';
import { invalidField } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { readAttestation } from '#shared/evidence/records/attestation-records.ts';
import { readFlowNames } from '#shared/evidence/records/flows.ts';
import { type Moment, readMoments } from '#shared/evidence/records/moments.ts';
import { readBesideFlow } from '#shared/evidence/records/trails.ts';
import { Fingerprint } from '#shared/evidence/rules/shared-fields.ts';
import { type ExplainedEvent, type Explanation, explainEvent as explain } from '#shared/notifications/explain-event.ts';
import { eventNotFound } from '#shared/notifications/rules/sentences.ts';
import { momentEventId, momentNotice } from '#shared/notifications/rules/triggers.ts';
import { readSnapshotEvents } from '../event-rows.ts';
import { presentEnvironment } from '../present-environment.ts';
import { readAddition } from '../records/allowed.ts';
import { readSnapshot } from '../records/snapshots.ts';
import { allowedNotice, firedNotice } from '../rules/environment-notices.ts';
import { firedTriggers } from '../rules/transitions.ts';

export type { Explanation };

/** The four ways to name an event (rules/notifications.md#who-was-told). */
export type NamedEvent =
  | { by: 'attestation'; attestation: string }
  | { by: 'moment'; flow: FlowName; trail: TrailName; moment: number }
  | { by: 'allowance'; environment: EnvironmentName; fingerprint: string | undefined }
  | FiredEvent;

/** An event that a snapshot fired. The artifact is named if several started or exited. */
interface FiredEvent {
  by: 'snapshot';
  environment: EnvironmentName;
  snapshot: number;
  trigger: string;
  fingerprint: string | undefined;
  artifact: string | undefined;
}

/** Where an event happened, with present names. */
export type EventPlace =
  | { flow: string; trail: string; attestation?: string }
  | { environment: string; snapshot: number | null };

interface FoundEvent extends ExplainedEvent {
  id: string;
  type: string;
  place: EventPlace;
}

type Reading = Pick<Stores, 'table' | 'objects'>;

/**
 * Finds an event, and explains for each action whether the event notified it (rules/notifications.md#who-was-told).
 *
 * @throws ServiceError `not-found` if there is no such event; `invalid` if a snapshot fired several that fit
 */
export async function explainEvent(
  stores: Reading,
  org: Organization,
  named: NamedEvent,
): Promise<{ event: FoundEvent; actions: Explanation[] }> {
  const event = await findEvent(stores, org, named);
  return { event, actions: await explain(stores.table, org.id, event) };
}

function findEvent(stores: Reading, org: Organization, named: NamedEvent): Promise<FoundEvent> {
  switch (named.by) {
    case 'attestation':
      return eventOfAttestation(stores, org, named.attestation);
    case 'moment':
      return eventOfMoment(stores, org, named);
    case 'allowance':
      return eventOfEntry(stores, org, named);
    case 'snapshot':
      return eventOfSnapshot(stores, org, named);
  }
}

async function eventOfAttestation({ table }: Reading, org: Organization, id: string): Promise<FoundEvent> {
  const record = isId<AttestationId>(id) ? await readAttestation(table, org.id, id) : null;
  if (!record) throw eventNotFound();
  const { flow, trail, number } = record;
  const [names, [moment]] = await Promise.all([
    readFlowNames(table, org.id, [flow]),
    readMoments(table, org.id, flow, trail, { from: number, to: number }),
  ]);
  const found = foundMoment(moment, { name: names.get(flow) ?? '', id: flow }, org);
  return { ...found, place: { ...found.place, attestation: id } };
}

async function eventOfMoment(
  { table }: Reading,
  org: Organization,
  { flow: name, trail, moment: number }: { flow: FlowName; trail: TrailName; moment: number },
): Promise<FoundEvent> {
  const { flow, beside: moments } = await readBesideFlow(table, org.id, name, (id) =>
    readMoments(table, org.id, id, trail, { from: number, to: number }),
  );
  if (!flow) throw eventNotFound();
  return foundMoment(moments[0], flow, org);
}

function foundMoment(moment: Moment | undefined, flow: { name: string; id: FlowId }, org: Organization) {
  if (!moment) throw eventNotFound();
  const notice = momentNotice(moment, flow.name, org.name);
  return {
    id: momentEventId(moment),
    type: notice?.eventType ?? moment.kind,
    notice,
    subject: { flows: [flow.id] },
    at: moment.at,
    place: { flow: flow.name, trail: moment.name },
  };
}

/** The event of the entry that put a fingerprint on an allow-list. Later entries only change its reason or its name. */
async function eventOfEntry(
  { table }: Reading,
  org: Organization,
  { environment, fingerprint: given }: { environment: EnvironmentName; fingerprint: string | undefined },
): Promise<FoundEvent> {
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
    subject: { environment: head.id },
    at: entry.at,
    place: { environment: head.name, snapshot: null },
  };
}

async function eventOfSnapshot(stores: Reading, org: Organization, named: FiredEvent): Promise<FoundEvent> {
  const { trigger, fingerprint, artifact, snapshot: index } = named;
  const head = await presentEnvironment(stores.table, org, named.environment);
  const snapshot = await readSnapshot(stores.table, org.id, head.id, index);
  if (!snapshot) throw eventNotFound();
  // An erased snapshot fired nothing that is known. Only workers log that, because there it means lost effects.
  const { events } = await readSnapshotEvents({ services: stores, log: () => undefined }, org.id, head, snapshot);
  const wanted = firedTriggers(events, snapshot.known, snapshot.state).filter(
    ({ trigger: firedTrigger, event }) =>
      firedTrigger === trigger &&
      (fingerprint ?? event?.row.fingerprint) === event?.row.fingerprint &&
      (artifact ?? event?.row.name) === event?.row.name,
  );
  const [fired] = wanted;
  if (!fired) throw eventNotFound();
  if (wanted.length > 1) {
    const [name, given] = fingerprint === undefined ? ['fingerprint', fingerprint] : ['artifact_name', artifact];
    throw invalidField(`query.${name}`, 'Several artifacts fit. Name one', given);
  }
  const notice = firedNotice({ org: org.name, environment: head }, snapshot, fired, null);
  return {
    id: notice.event,
    type: notice.eventType,
    notice,
    subject: { environment: head.id },
    at: snapshot.at,
    place: { environment: head.name, snapshot: index },
  };
}
