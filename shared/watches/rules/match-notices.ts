import { absolute } from '#shared/base/addresses.ts';
import { idAt } from '#shared/base/ids.ts';
import { ENVIRONMENT_EVENTS } from '#shared/environments/rules/transitions.ts';
import type { Notice } from '#shared/notifications/rules/records.ts';
import type { EventSubject } from '#shared/notifications/rules/triggers.ts';
import type { Match } from './match.ts';

/** What is sent about matches of watches (rules/notifications.md#exposure-events). */

export const TRIGGER = 'ON_EXPOSURE';

/** Returns where a match is, for matching with actions: the first match in its flow, others in their environment. */
export const placeOfMatch = ({ build, environment }: Match): EventSubject =>
  environment ? { environment: environment.id } : { flows: [build.flow] };

/** Returns the id of the event of a match, which never changes. */
export const eventOf = ({ id, at }: Pick<Match, 'id' | 'at'>): string => idAt(at, `${id}/${TRIGGER}`);

/** Present names of what a match is about. */
interface MatchNames {
  org: string;
  flow: string;
  /** Null for the first match. */
  environment: string | null;
}

/** Makes the notice of a match. Its id follows from the match, so a match that is read again sends nothing again. */
export function matchNotice(match: Match, { org, flow, environment }: MatchNames): Notice {
  const { kind, watch, at, build, artifact } = match;
  const { name, purl, versions, vulnerability } = watch;
  const { trail, attestation } = build;
  const about = vulnerability === null ? `'${name}'` : `'${name}' (${vulnerability})`;
  const what = versions === null ? purl : `${purl} ${versions}`;
  return {
    event: eventOf(match),
    at,
    trigger: TRIGGER,
    eventType: ENVIRONMENT_EVENTS[TRIGGER],
    org,
    ...(environment === null ? { flow, trail } : { environment }),
    description:
      environment === null
        ? `Watch ${about} matches for the first time: trail '${trail}' of flow '${flow}' has an SBOM with ${what}`
        : `Watch ${about} matches in environment '${environment}': an artifact of trail '${trail}' of flow '${flow}' runs there and holds ${what}`,
    htmlPath: absolute('', `/${org}/watches/${name}`),
    apiPath: absolute('', `/api/v2/watches/${org}/${name}`),
    ...(artifact && { artifact: { name: artifact.name ?? '', fingerprint: artifact.fingerprint } }),
    exposure: {
      watch: name,
      match: kind,
      purl,
      ...(versions !== null && { versions }),
      ...(vulnerability !== null && { vulnerability }),
      attestation,
    },
  };
}
