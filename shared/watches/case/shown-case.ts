import { secondsOrNull, toSeconds } from '#shared/base/time.ts';
import { questionOf } from '../rules/asked-question.ts';
import type { Case } from './read-case.ts';
import { type CaseEvent, timelineOf } from './timeline.ts';

/** A case in the names and units of the API, for answers and statements (rules/watches.md#case). */

export const shownCase = (one: Case) => ({
  ...shownFacts(one),
  watch: shownQuestion(one),
  timeline: timelineOf(one).map(shownEvent),
});

const shownQuestion = ({ found: { watch } }: Case) => ({
  name: watch.name,
  purl: watch.purl,
  versions: watch.versions,
  package: questionOf(watch).package,
  vulnerability: watch.vulnerability,
});

/** What a case sums up. */
export const shownFacts = ({ since, affected, cleared, environments, stopped, isComplete }: Case) => ({
  known_since: since && toSeconds(since.at),
  known_from: since?.by ?? null,
  due_at: since && toSeconds(since.due),
  affected_builds: affected.builds,
  first_affected_at: secondsOrNull(affected.first),
  not_affected_builds: cleared.size,
  environments: environments.map(({ name, artifacts, since: from, until }) => ({
    environment: name,
    artifacts,
    since: secondsOrNull(from),
    until: secondsOrNull(until),
  })),
  stopped_at: secondsOrNull(stopped),
  complete: isComplete,
});

export const shownEvent = ({ kind, at, by, note, environment, sbom, artifact, isCleared, told }: CaseEvent) => ({
  kind,
  at: toSeconds(at),
  ...(by !== undefined && { by }),
  ...(note !== undefined && { note }),
  ...(environment && { environment: environment.name, snapshot_index: environment.snapshot }),
  ...(sbom && { flow_name: sbom.flow, trail_name: sbom.trail, attestation_id: sbom.attestation }),
  ...(artifact && { artifact_name: artifact.name, fingerprint: artifact.fingerprint }),
  ...(isCleared && { said_not_affected: true }),
  ...(told && {
    action_number: told.delivery.action,
    action_name: told.action,
    state: told.delivery.state,
  }),
});
