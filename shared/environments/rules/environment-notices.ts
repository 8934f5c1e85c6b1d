import { absolute } from '#shared/base/addresses.ts';
import { type EnvironmentId, type Id, idAt } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Notice } from '#shared/notifications/rules/records.ts';
import { type ArtifactIdentity, artifactKey } from './running.ts';
import { ENVIRONMENT_EVENTS, type FiredTrigger, stateWord } from './transitions.ts';

export interface EnvironmentPlace {
  org: string;
  environment: { id: EnvironmentId; name: string };
}

interface NoticeSnapshot {
  index: number;
  at: Micros;
  /** Null = unknown. */
  state: boolean | null;
}

/** Where an artifact came from (rules/notifications.md#environment-events). */
export interface Provenance {
  flow: string;
  compliant: boolean;
  commit: string;
  commitUrl: string;
  buildUrl: string;
}

/**
 * Makes the notice for a trigger that a snapshot fired (rules/notifications.md#environment-events). The notice of a
 * changed state has no artifact.
 */
export function firedNotice<R extends ArtifactIdentity>(
  place: EnvironmentPlace,
  snapshot: NoticeSnapshot,
  fired: FiredTrigger<R>,
  provenance: Provenance | null,
): Notice {
  const { trigger, event } = fired;
  const common = snapshotNotice(place, snapshot);
  if (!event) {
    const description = `Environment '${place.environment.name}' became ${stateWord(snapshot.state)}`;
    return { ...common, event: eventId(place, snapshot, trigger), ...eventTypeOf(trigger), description };
  }
  const { row, description } = event;
  return {
    ...common,
    event: eventId(place, snapshot, `${trigger}|${artifactKey(row)}`),
    ...eventTypeOf(trigger),
    description,
    artifact: artifactOf(row, provenance),
  };
}

interface Allowance extends ArtifactIdentity {
  id: Id;
  at: Micros;
  description: string;
  by: { name: string };
}

/**
 * Makes the notice for an entry of an allow-list.
 * @param snapshot the newest snapshot at that time; null if there was none
 */
export function allowedNotice(
  place: EnvironmentPlace,
  allowance: Allowance,
  snapshot: Omit<NoticeSnapshot, 'at'> | null,
): Notice {
  const { id, at, description, by, name } = allowance;
  const trigger = 'ON_ALLOWED_ARTIFACT';
  const where = snapshot ? snapshotNotice(place, { ...snapshot, at }) : placeNotice(place, at);
  return {
    ...where,
    event: idAt(at, `${place.environment.id}/${trigger}/${id}`),
    ...eventTypeOf(trigger),
    actor: by.name,
    description: `Artifact '${name}' was allowed in '${place.environment.name}' by ${by.name}: ${description}`,
    artifact: artifactOf(allowance, null),
  };
}

const eventTypeOf = <T extends keyof typeof ENVIRONMENT_EVENTS>(trigger: T) => ({
  trigger,
  eventType: ENVIRONMENT_EVENTS[trigger],
});

const placeNotice = ({ org, environment }: EnvironmentPlace, at: Micros) => ({
  at,
  org,
  environment: environment.name,
  htmlPath: absolute('', `/${org}/environments/${environment.name}`),
  apiPath: absolute('', `/api/v2/environments/${org}/${environment.name}`),
});

const snapshotNotice = (place: EnvironmentPlace, { index, at, state }: NoticeSnapshot) => ({
  ...placeNotice(place, at),
  snapshot: { index, status: stateWord(state) },
  htmlPath: absolute('', `/${place.org}/environments/${place.environment.name}/snapshots/${index}`),
  apiPath: absolute('', `/api/v2/snapshots/${place.org}/${place.environment.name}/${index}`),
});

/** The id of an event. It follows from the arguments alone, so repeated calls give the same id. */
const eventId = ({ environment }: EnvironmentPlace, { index, at }: NoticeSnapshot, what: string): Id =>
  idAt(at, `${environment.id}/${index}/${what}`);

const artifactOf = ({ name, fingerprint }: ArtifactIdentity, provenance: Provenance | null) => ({
  name,
  fingerprint,
  ...(provenance && {
    provenance: {
      flow: provenance.flow,
      status: stateWord(provenance.compliant),
      commit: provenance.commit,
      commit_url: provenance.commitUrl,
      build_url: provenance.buildUrl,
    },
  }),
});
