/** How far an organization is on the way to its first compliant snapshot. */

interface TrailSeen {
  name: string;
  flow_name: string;
  compliance_state: string;
  artifacts?: readonly { artifact_name: string; artifact_fingerprint: string | null }[] | undefined;
}

interface EnvironmentSeen {
  name: string;
  state: boolean | null;
  last_reported_at: number | null;
}

/** What was seen first; absent if it has not come yet. */
export interface Progress {
  trail?: { flow: string; trail: string };
  artifact?: { flow: string; fingerprint: string; name: string };
  snapshot?: { env: string };
  compliant?: { env: string };
}

/** @param trails the newest first, with their artifacts */
export function progressOf(trails: readonly TrailSeen[], environments: readonly EnvironmentSeen[]): Progress {
  const [first] = trails.toReversed();
  const artifact = trails
    .flatMap(({ flow_name: flow, artifacts = [] }) =>
      artifacts.map(({ artifact_name: name, artifact_fingerprint: fingerprint }) => ({ flow, name, fingerprint })),
    )
    .find(({ fingerprint }) => fingerprint !== null);
  const reported = environments.find(({ last_reported_at: at }) => at !== null && at > 0);
  const compliant = environments.find(({ state }) => state === true);
  return {
    ...(first && { trail: { flow: first.flow_name, trail: first.name } }),
    ...(artifact && { artifact: { ...artifact, fingerprint: artifact.fingerprint ?? '' } }),
    ...(reported && { snapshot: { env: reported.name } }),
    ...(compliant && { compliant: { env: compliant.name } }),
  };
}

const NEXT = [
  ['trail', 'Waiting for the first report: a trail.'],
  ['artifact', 'The first trail has begun. Waiting for its artifact.'],
  ['snapshot', 'The first artifact was reported. Waiting for a snapshot of an environment.'],
  ['compliant', 'The first snapshot has come. Waiting for one that is compliant.'],
] as const;

/** What the page waits for, in one sentence. */
export const progressSentence = (progress: Progress): string =>
  NEXT.find(([step]) => progress[step] === undefined)?.[1] ??
  `Connected: ${progress.compliant?.env} is compliant. This page stays in the menu, for the next pipeline.`;

/** The most trails of a newcomer. From then on, an environment that fails is a matter of its own page. */
const FEW_TRAILS = 20;

/**
 * Whether the first page of an organization shows the way to the first compliant snapshot
 * (rules/web-console.md#connect).
 */
export const isConnecting = (
  trails: readonly { compliance_state: string }[],
  environments: readonly { state: boolean | null }[],
): boolean => trails.length < FEW_TRAILS && !environments.some(({ state }) => state === true);
