import type { Micros } from '#shared/base/time.ts';
import type { Case, NamedMatch, Told } from './read-case.ts';

/** What happened in a case, in the order of time (rules/watches.md#timeline). */

export const EVENTS = ['asked', 'known', 'matched', 'told', 'started', 'fixed', 'stopped'] as const;

export interface CaseEvent {
  kind: (typeof EVENTS)[number];
  at: Micros;
  /** Of `asked` and `known`: who. */
  by?: string;
  /** Of `known`. */
  note?: string | null;
  /** Of `matched` in an environment, `told` about it, `started` and `stopped`. */
  environment?: { name: string; snapshot: number | null };
  /** Of `matched` and `fixed`: the SBOM. */
  sbom?: { flow: string; trail: string; attestation: string };
  /** Of `matched` in an environment, and of `fixed`. */
  artifact?: { name: string | null; fingerprint: string };
  /** Of `matched`: whether the build is said not to be affected. */
  isCleared?: boolean;
  /** Of `told`. */
  told?: Told;
}

/** Returns the events of a case, the oldest first. Events of one instant are in the order of {@link EVENTS}. */
export function timelineOf({ found, matches, told, environments, cleared, fixed }: Case): CaseEvent[] {
  const { createdAt, createdBy, known } = found.watch;
  const events: CaseEvent[] = [
    { kind: 'asked', at: createdAt, by: createdBy },
    ...(known ? [{ kind: 'known' as const, at: known.at, by: known.by, note: known.note }] : []),
    ...matches.map((named) => matched(named, cleared.has(named.match.build.attestation))),
    ...told.map((one): CaseEvent => ({ kind: 'told', at: one.delivery.created, told: one, ...placeOf(one.match) })),
    ...environments.flatMap(({ name, since, sinceSnapshot: snapshot }): CaseEvent[] =>
      since === null ? [] : [{ kind: 'started', at: since, environment: { name, snapshot } }],
    ),
    ...environments.flatMap(({ name, until, untilSnapshot: snapshot }): CaseEvent[] =>
      until === null ? [] : [{ kind: 'stopped', at: until, environment: { name, snapshot } }],
    ),
    ...fixed.map(
      ({ build: { at, trail, id }, artifact: { name, fingerprint }, flow }): CaseEvent => ({
        kind: 'fixed',
        at,
        sbom: { flow, trail, attestation: id },
        artifact: { name, fingerprint },
      }),
    ),
  ];
  return events.toSorted((a, b) => a.at - b.at || EVENTS.indexOf(a.kind) - EVENTS.indexOf(b.kind));
}

function matched(named: NamedMatch, isCleared: boolean): CaseEvent {
  const { at, build, artifact } = named.match;
  return {
    kind: 'matched',
    at,
    sbom: { flow: named.flow, trail: build.trail, attestation: build.attestation },
    ...(artifact && { artifact }),
    ...(isCleared && { isCleared }),
    ...placeOf(named),
  };
}

const placeOf = ({ match, environment }: NamedMatch): Pick<CaseEvent, 'environment'> =>
  environment === null ? {} : { environment: { name: environment, snapshot: match.environment?.snapshot ?? null } };
