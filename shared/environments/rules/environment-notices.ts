import { absolute } from '#shared/base/addresses.ts';
import { type EnvironmentId, type Id, idAt } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Notice } from '#shared/notifications/rules/records.ts';
import { type ArtifactIdentity, artifactKey } from './running.ts';
import { ENVIRONMENT_EVENTS, type FiredTrigger, stateWord } from './transitions.ts';

/** Where something happened, by the names of today. */
export interface EnvironmentPlace {
  /** Name of the organization. */
  org: string;
  environment: { id: EnvironmentId; name: string };
}

/** The snapshot that a notice is about. */
export interface NoticeSnapshot {
  index: number;
  at: Micros;
  /** Null = unknown. */
  state: boolean | null;
}

/** Where an artifact came from, as far as it is known (wire environments §9). */
export interface Provenance {
  flow: string;
  compliant: boolean;
  commit: string;
  commitUrl: string;
  buildUrl: string;
}

/** What is told of a trigger that a snapshot fired (semantics §10.4): of a change of state without an artifact. */
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
    return { ...common, event: eventId(place, snapshot, trigger), ...told(trigger), description };
  }
  const { row, description } = event;
  return {
    ...common,
    event: eventId(place, snapshot, `${trigger}|${artifactKey(row)}`),
    ...told(trigger),
    description,
    artifact: artifactOf(row, provenance),
  };
}

/** An artifact that was put on an environment's allow-list, with the snapshot that was the newest then. */
export interface Allowance extends ArtifactIdentity {
  /** Id of the entry. */
  id: Id;
  at: Micros;
  description: string;
  by: { name: string };
}

/** What is told of an entry of the allow-list. @param snapshot null where the environment had none yet */
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
    ...told(trigger),
    actor: by.name,
    description: `Artifact '${name}' was allowed in '${place.environment.name}' by ${by.name}: ${description}`,
    artifact: artifactOf(allowance, null),
  };
}

const told = <T extends keyof typeof ENVIRONMENT_EVENTS>(trigger: T) => ({
  trigger,
  eventType: ENVIRONMENT_EVENTS[trigger],
});

const placeNotice = ({ org, environment }: EnvironmentPlace, at: Micros) => ({
  ...{ at, org, environment: environment.name },
  htmlPath: absolute('', `/${org}/environments/${environment.name}`),
  apiPath: absolute('', `/api/v2/environments/${org}/${environment.name}`),
});

const snapshotNotice = (place: EnvironmentPlace, { index, at, state }: NoticeSnapshot) => ({
  ...placeNotice(place, at),
  snapshot: { index, status: stateWord(state) },
  htmlPath: absolute('', `/${place.org}/environments/${place.environment.name}/snapshots/${index}`),
  apiPath: absolute('', `/api/v2/snapshots/${place.org}/${place.environment.name}/${index}`),
});

/** Whoever computes the id of an event gets the same. */
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
