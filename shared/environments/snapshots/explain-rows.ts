import { isKnownFingerprint } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Organization } from '#shared/callers/caller.ts';
import type { Reading } from '#shared/evidence/flow-verdicts.ts';
import type { TrailPlace } from '#shared/evidence/records/artifact-trails.ts';
import { readReason } from '#shared/evidence/rules/incompliance-reasons.ts';
import { placeKey, readTrailJudges } from '#shared/evidence/trail-judges.ts';
import { linksOf, type ReasonPlace } from '#shared/reasons/links.ts';
import { type ReasonReading, readSeen } from '#shared/reasons/read-seen.ts';
import { type BoundedChain, boundedTogether } from '#shared/reasons/rules/bounded-chain.ts';
import { decidingIds, reasonChain } from '#shared/reasons/rules/reason-chain.ts';
import { inScope, type SeenEntry, type SeenTrail } from '#shared/reasons/rules/seen.ts';
import type { RowFlow } from '../rules/content.ts';
import { type ShownRow, shownDecisions } from './resolve-content.ts';
import { readRowDecisions } from './row-decisions.ts';

type Place = ReasonPlace & { org: Pick<Organization, 'id' | 'name'> };

/** The environment that decided, and when. */
interface ExplainedSnapshot {
  head: { name: string };
  parts: { summary: { at: Micros } };
}

/** Most trails that are read for the rows of one answer, those of failures first (rules/reasons.md#bounds). */
const MOST_TRAILS = 50;

/**
 * Resolves the verdicts of rows of a snapshot (rules/reasons.md#snapshots). The policies decided when the snapshot was made, so a trail
 * is read only for what has not changed in it since.
 *
 * @returns one chain for each row, in their order
 */
export async function explainRows(
  reading: ReasonReading,
  place: Place,
  { head, parts }: ExplainedSnapshot,
  rows: readonly ShownRow[],
): Promise<BoundedChain[]> {
  const isFailure = ({ compliant }: ShownRow) => compliant === false;
  const inOrder = rows.toSorted((one, other) => Number(isFailure(other)) - Number(isFailure(one)));
  const { at } = parts.summary;
  const [judges, controls] = await Promise.all([
    readUnchanged(reading, place, inOrder, at),
    readRowDecisions(reading, place.org, inOrder, at),
  ]);
  const trails = new Map(rows.map((row) => [row, row.flows.map((flow) => seenTrail(row, flow, judges))]));
  const entries = inOrder.flatMap((row) => (trails.get(row) ?? []).flatMap((trail) => trail.entries));
  const deciding = inOrder.flatMap((row) => decidingIds(shownDecisions(row), controls.get(row.fingerprint) ?? []));
  const attestations = await readSeen(reading, place.org.id, entries, deciding);
  const links = linksOf(place);
  const chains = rows.map((row) => {
    const { compliant, allowed } = row;
    const environment = { name: head.name, compliant, allowed };
    const subject = {
      environment,
      decisions: shownDecisions(row),
      trails: trails.get(row) ?? [],
      controls: controls.get(row.fingerprint) ?? [],
      attestations,
    };
    return reasonChain(subject, links);
  });
  return boundedTogether(chains, (n) => rows[n]?.compliant === false);
}

type Judges = Awaited<ReturnType<typeof readTrailJudges>>;

/**
 * Reads the trails of rows that nothing came to since the snapshot was made, judged by the recalls that there were then. They say what
 * was recalled since.
 */
async function readUnchanged(reading: Reading, { org }: Place, rows: readonly ShownRow[], at: Micros): Promise<Judges> {
  const places = new Map(
    rows.flatMap(({ flows }) =>
      flows.map(({ flow, trailName }) => {
        const trail: TrailPlace = { flow, trail: trailName };
        return [placeKey(trail), trail] as const;
      }),
    ),
  );
  const judges = await readTrailJudges(reading, org.id, [...places.values()].slice(0, MOST_TRAILS), at);
  return new Map([...judges].filter(([, { state }]) => state.at <= at));
}

/** A trail as a row looked at it: with its entries if they are still the same, else with what the row says against the artifact. */
function seenTrail({ fingerprint }: ShownRow, flow: RowFlow, judges: Judges): SeenTrail {
  const judge = judges.get(placeKey({ flow: flow.flow, trail: flow.trailName }))?.judge;
  const entries =
    judge && isKnownFingerprint(fingerprint)
      ? judge.entries(fingerprint).map(inScope(null))
      : flow.reasons.flatMap(entryOfReason);
  return { flow: flow.name, trail: flow.trailName, status: flow.status, entries };
}

function entryOfReason(text: string): SeenEntry[] {
  const reason = readReason(text);
  if (!reason) return [];
  const { name, type, isMissing, recalls } = reason;
  return [
    {
      attestation_name: name,
      attestation_type: type,
      attestation_id: null,
      overridden_attestation_id: null,
      status: isMissing ? 'MISSING' : 'COMPLETE',
      is_compliant: isMissing ? null : false,
      scope: null,
      ...(recalls.length > 0 && { recalled: { attestation_id: null, recalls: recalls.map((one) => ({ name: one })) } }),
    },
  ];
}
