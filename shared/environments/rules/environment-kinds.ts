import * as z from 'zod';

/**
 * The nine kinds of environment (rules/environments.md#kinds). Keys are the words that answers use, values the neutral
 * words that requests may use as well. Both are case-sensitive.
 */
export const ENVIRONMENT_KINDS = {
  K8S: 'container-orchestrator',
  ECS: 'cloud-container-orchestrator',
  S3: 'object-storage',
  lambda: 'serverless',
  server: 'server',
  docker: 'container-runtime',
  'azure-apps': 'cloud-apps',
  'cloud-run': 'cloud-containers',
  logical: 'logical',
} as const;
export type EnvironmentKind = keyof typeof ENVIRONMENT_KINDS;

/** The kinds in which artifacts run. A logical environment groups other environments and takes no reports. */
export type ReportKind = Exclude<EnvironmentKind, 'logical'>;

// The type of `Object.keys` does not tell which keys the object has.
const KINDS = Object.keys(ENVIRONMENT_KINDS) as [EnvironmentKind, ...EnvironmentKind[]];

export const REPORT_KINDS: readonly ReportKind[] = KINDS.filter((kind) => kind !== 'logical');

/** Finds the kind for either of its words; undefined if no kind has the word. */
export const environmentKind = (word: string): EnvironmentKind | undefined =>
  KINDS.find((kind) => kind === word || ENVIRONMENT_KINDS[kind] === word);

/** A kind in a request. Accepts both words and outputs the word that answers use. */
export const EnvironmentKindField = z
  .preprocess((input) => (typeof input === 'string' ? (environmentKind(input) ?? input) : input), z.enum(KINDS))
  .meta({
    description: 'Type of the environment. `x-aliases` lists other accepted words',
    'x-aliases': ENVIRONMENT_KINDS,
  });
