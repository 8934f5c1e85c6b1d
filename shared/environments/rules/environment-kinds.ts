import * as z from 'zod';

/**
 * The nine kinds of environment (wire environments §2.1; semantics §1.6): the word of the wire, which every answer
 * uses, and the neutral word that requests may use for it, the same where the API document names it. Case-sensitive.
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

/** The kinds that something runs in; a logical environment only groups them and takes no reports. */
export type ReportKind = Exclude<EnvironmentKind, 'logical'>;

const KINDS = Object.keys(ENVIRONMENT_KINDS) as [EnvironmentKind, ...EnvironmentKind[]];

export const REPORT_KINDS: readonly ReportKind[] = KINDS.filter((kind) => kind !== 'logical');

/** The kind that a word means; undefined when it means none. */
export const environmentKind = (word: string): EnvironmentKind | undefined =>
  KINDS.find((kind) => kind === word || ENVIRONMENT_KINDS[kind] === word);

/** A kind in a request: either word is read, and the word of the wire comes out. */
export const EnvironmentKindField = z.preprocess(
  (input) => (typeof input === 'string' ? (environmentKind(input) ?? input) : input),
  z.enum(KINDS),
);
