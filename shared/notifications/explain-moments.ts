import { errorFacts } from '#shared/base/error-facts.ts';
import type { Id, OrganizationId } from '#shared/base/ids.ts';
import type { WorkerLog } from '#shared/base/log-lines.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { MomentFacts } from '#shared/evidence/rules/moment-facts.ts';
import type { SlotChange } from '#shared/evidence/rules/trail-state.ts';
import { placeKey, readTrailJudges } from '#shared/evidence/trail-judges.ts';
import { linksOf } from '#shared/reasons/links.ts';
import { type ReadEvaluationsOf, type ReasonReading, readSeen } from '#shared/reasons/read-seen.ts';
import { attestationSteps } from '#shared/reasons/rules/attestation-steps.ts';
import { type SeenAttestations, type SeenEntry, type SeenTrail, seenTrail } from '#shared/reasons/rules/seen.ts';
import { trailSteps } from '#shared/reasons/rules/trail-steps.ts';
import { noticeReason } from './rules/notice-reason.ts';
import type { Delivery, Notice, NoticeReason } from './rules/records.ts';
import { momentEventId } from './rules/triggers.ts';

/** What the reasons of messages are worked out with. */
export interface Explaining {
  reading: ReasonReading;
  log: WorkerLog;
}

export const explainingOf = ({
  services: { table, objects },
  log,
  evaluationsOf,
}: Pick<Explaining, 'log'> & {
  services: Pick<Stores, 'table' | 'objects'>;
  evaluationsOf: ReadEvaluationsOf;
}): Explaining => ({ reading: { table, objects, evaluationsOf }, log });

/** Most trails that one call reads for its reasons (rules/notifications.md#reason). */
const MOST_TRAILS = 20;

/** What an event is not compliant by: the attestation that it recorded, or all of its trail. */
type Cause = { kind: 'attestation'; moment: MomentFacts; entry: SeenEntry & { id: string } } | TrailCause;
type TrailCause = { kind: 'trail'; moment: MomentFacts };

/**
 * Adds to the deliveries of events that are not compliant why they are not (rules/notifications.md#reason). An attestation never
 * changes; a trail is read only as long as nothing came to it since the event.
 *
 * @returns the same deliveries, in their order. If the reasons cannot be worked out, they have none: a message is worth more
 *   than its reason
 */
export async function explainMoments(
  explaining: Explaining,
  org: OrganizationId,
  moments: readonly MomentFacts[],
  due: readonly Delivery[],
): Promise<Delivery[]> {
  const notices = new Map(due.map(({ notice }) => [notice.event, notice]));
  const causes = moments.flatMap((moment) => (notices.has(momentEventId(moment)) ? causeOf(moment) : []));
  const reasons = await withoutFailing(explaining, org, () => reasonsOf(explaining.reading, org, causes, notices));
  return withReasons(due, reasons);
}

/** Adds reasons to deliveries, by the id of the event. */
export const withReasons = (due: readonly Delivery[], reasons: ReadonlyMap<Id, NoticeReason>): Delivery[] =>
  due.map((delivery) => {
    const reason = reasons.get(delivery.notice.event);
    return reason ? { ...delivery, notice: { ...delivery.notice, reason } } : delivery;
  });

/** Reads reasons; none if that fails. The error goes into the log. */
export async function withoutFailing(
  { log }: Explaining,
  organization: OrganizationId,
  read: () => Promise<ReadonlyMap<Id, NoticeReason>>,
): Promise<ReadonlyMap<Id, NoticeReason>> {
  try {
    return await read();
  } catch (error) {
    log('The reasons of messages could not be worked out; the messages have none', {
      organization,
      ...errorFacts(error),
    });
    return new Map();
  }
}

const isAttestation = (change: SlotChange): change is SlotChange & { kind: 'attestation' } =>
  change.kind === 'attestation';

/** @returns nothing for an event that is compliant */
function causeOf(moment: MomentFacts): Cause[] {
  const attestation = moment.content.changes.find(isAttestation);
  if (attestation && !attestation.compliant) {
    const { id, name, type, overridden } = attestation;
    const entry = {
      attestation_name: name,
      attestation_type: type,
      attestation_id: id,
      overridden_attestation_id: overridden,
      status: 'COMPLETE' as const,
      is_compliant: false,
      scope: null,
    };
    return [{ kind: 'attestation', moment, entry: { ...entry, id } }];
  }
  return moment.content.word === 'NON-COMPLIANT' ? [{ kind: 'trail', moment }] : [];
}

async function reasonsOf(
  reading: ReasonReading,
  org: OrganizationId,
  causes: readonly Cause[],
  notices: ReadonlyMap<Id, Notice>,
): Promise<Map<Id, NoticeReason>> {
  if (causes.length === 0) return new Map();
  const flowOf = (moment: MomentFacts) => notices.get(momentEventId(moment))?.flow ?? '';
  const trails = await readUnchanged(
    reading,
    org,
    causes.filter((cause) => cause.kind === 'trail'),
    flowOf,
  );
  const entries = causes.flatMap((cause) =>
    cause.kind === 'attestation' ? [cause.entry] : (trails.get(cause)?.entries ?? []),
  );
  const attestations = await readSeen(reading, org, entries);
  return new Map(
    causes.flatMap((cause) => {
      const event = momentEventId(cause.moment);
      const notice = notices.get(event);
      const reason = notice && reasonOf(cause, notice, trails.get(cause), attestations);
      return reason ? [[event, reason] as const] : [];
    }),
  );
}

/** Reads the trails that nothing came to since the event. The verdict of another one is not that of the event any more. */
async function readUnchanged(
  reading: ReasonReading,
  org: OrganizationId,
  causes: readonly TrailCause[],
  flowOf: (moment: MomentFacts) => string,
): Promise<Map<Cause, SeenTrail>> {
  const places = causes.map(({ moment: { flow, name } }) => ({ flow, trail: name }));
  const distinct = new Map(places.map((place) => [placeKey(place), place]));
  const judges = await readTrailJudges(reading, org, [...distinct.values()].slice(0, MOST_TRAILS));
  return new Map(
    causes.flatMap((cause) => {
      const { moment } = cause;
      const found = judges.get(placeKey({ flow: moment.flow, trail: moment.name }));
      if (!found || found.state.number !== moment.number) return [];
      return [[cause, seenTrail({ flow: flowOf(moment), trail: moment.name }, found.judge.status())] as const];
    }),
  );
}

function reasonOf(
  cause: Cause,
  { org, flow = '', trail = '' }: Notice,
  seen: SeenTrail | undefined,
  attestations: SeenAttestations,
): NoticeReason | undefined {
  // Nobody follows the addresses: they only name the attestation that a sentence quotes.
  const links = linksOf({ host: '', org: { name: org } });
  if (cause.kind === 'trail') return seen && noticeReason(trail, trailSteps(seen, null, attestations, links));
  const { id, attestation_name: name, attestation_type: type } = cause.entry;
  const place = { flow, trail, name, type, id, compliant: false };
  return noticeReason(subjectOf(cause.moment, trail), attestationSteps(place, attestations.get(id), links));
}

/** What the attestation is about: the artifact by the name that its reporter gave, else the trail. */
function subjectOf({ content: { show } }: MomentFacts, trail: string): string {
  const target = show?.['target'];
  return typeof target === 'string' ? target : trail;
}
