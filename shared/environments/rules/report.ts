import * as z from 'zod';
import type { Fingerprint } from '#shared/base/ids.ts';
import { isDictionary, WITH_INVALID_ITEMS, withInput } from '#shared/base/validation.ts';
import type { ReportKind } from './environment-kinds.ts';
import { artifactKey, byFingerprint, compareText, type Pod, PodOwner, type RunningArtifact } from './running.ts';

/** Limit of items per report, and of digests in all items together (rules/environments.md#report-bodies). */
export const MOST_ARTIFACTS = 10_000;

/** 4,096 is the longest path of common file systems. */
const ArtifactName = z.string().min(1).max(4096);

/** SHA-256 in hex, or empty if the reporter could not find it out (rules/environments.md#report-bodies). */
const Digest: z.core.$ZodType<Fingerprint | '', string> = z
  .string()
  .regex(/^([a-f0-9]{64})?$/)
  .brand<'Fingerprint'>();

const UNSAFE_NAME = '__proto__';

/** Artifact name → digest. An object cannot hold the name `__proto__` as data, so this name is refused. */
const Digests = z.preprocess(
  (input, context) => {
    if (typeof input === 'object' && input !== null && Object.hasOwn(input, UNSAFE_NAME)) {
      const message = withInput('Artifacts cannot have this name', UNSAFE_NAME);
      context.addIssue({ code: 'custom', message, input });
    }
    return input;
  },
  z.record(ArtifactName.meta({ not: { const: UNSAFE_NAME } }), Digest),
);

const item = {
  digests: Digests.describe('SHA-256 by name of the artifact; empty if the reporter could not compute it'),
  /** Start of the instance in whole seconds since the epoch. Clients send 0 or the year 1 if they do not know it. */
  creationTimestamp: z.int().describe('Start of the instance in whole seconds since the epoch; 0 if unknown'),
};

const namesIn = (reported: unknown): string[] =>
  isDictionary(reported) && isDictionary(reported['digests']) ? Object.keys(reported['digests']) : [];

/** What an item has besides, by kind of environment. */
const pod = {
  podName: z.string().describe('Name of the pod'),
  namespace: z.string().describe('Namespace of the pod'),
  owners: z.array(PodOwner).nullish().describe('The resources that own the pod'),
};
const task = {
  taskArn: z.string().describe('Name of the task'),
  cluster_name: z.string().nullish().describe('Name of the cluster'),
  service_name: z.string().nullish().describe('Name of the service; null for a task or job without one'),
};
const app = {
  app_name: z.string().describe('Name of the app'),
  app_kind: z.string().nullish().describe('Kind of the app'),
  digests_source: z.string().nullish().describe('Where the reporter found the digests'),
};
const revision = {
  kind: z.enum(['service', 'job']).describe('Whether the artifact runs in a service or in a job'),
  serviceName: z.string().nullish().describe('Name of the service, if the artifact runs in one'),
  revisionName: z.string().nullish().describe('Name of the revision'),
  jobName: z.string().nullish().describe('Name of the job, if the artifact runs in one'),
};

type Fields = typeof pod & typeof task & typeof app & typeof revision;
/** An item of a report of any kind. The schema of a kind keeps only the fields of that kind. */
export type ReportedItem = z.output<z.ZodObject<typeof item>> & Partial<z.output<z.ZodObject<Fields>>>;

interface ReportBody {
  artifacts: ReportedItem[];
}

/** @param running what the list contains, as the OpenAPI document says it */
function reportOf<I extends z.ZodType<ReportedItem>>(id: string, running: string, reportedItem: I) {
  const artifacts = z
    .array(reportedItem)
    .max(MOST_ARTIFACTS)
    .superRefine((items, context) => {
      const named = items.flatMap(namesIn);
      if (named.length <= MOST_ARTIFACTS) return;
      context.addIssue({ code: 'too_big', origin: 'array', maximum: MOST_ARTIFACTS, inclusive: true, input: named });
    }, WITH_INVALID_ITEMS.list);
  const description = 'Everything that runs, never a difference. `type` and `id` beside `artifacts` are ignored.';
  return z.object({ artifacts: artifacts.describe(running) }).meta({ id, description });
}

const plainItem = z.object(item);

/**
 * The body of a report by kind of environment (rules/environments.md#report-bodies). Unknown fields are ignored, except
 * in items of `cloud-run`, whose clients rely on the refusal.
 */
export const REPORT_BODIES: Record<ReportKind, z.ZodType<ReportBody>> = {
  K8S: reportOf('ReportOfPods', 'All pods that run', z.object({ ...item, ...pod })),
  ECS: reportOf('ReportOfTasks', 'All tasks that run', z.object({ ...item, ...task })),
  S3: reportOf('ReportOfObjects', 'All objects', plainItem),
  lambda: reportOf('ReportOfFunctions', 'All functions', plainItem),
  server: reportOf('ReportOfPaths', 'All paths', plainItem),
  docker: reportOf('ReportOfContainers', 'All containers that run', plainItem),
  'azure-apps': reportOf('ReportOfApps', 'All apps that run', z.object({ ...item, ...app })),
  'cloud-run': reportOf('ReportOfRevisions', 'All revisions that run', z.strictObject({ ...item, ...revision })),
};

/**
 * Turns a report into rows: one per name and fingerprint, ordered by fingerprint and name
 * (rules/environments.md#running-set). Items with the same pair are instances of one artifact. The order of the items
 * makes no difference.
 */
export function runningArtifacts({ artifacts }: ReportBody): RunningArtifact[] {
  const found = new Map<string, { name: string; fingerprint: Fingerprint | ''; instances: ReportedItem[] }>();
  for (const instance of artifacts) {
    for (const [name, fingerprint] of Object.entries(instance.digests)) {
      const key = artifactKey({ name, fingerprint });
      const known = found.get(key);
      if (known) known.instances.push(instance);
      else found.set(key, { name, fingerprint, instances: [instance] });
    }
  }
  const rows = [...found.values()].map(({ name, fingerprint, instances }): RunningArtifact => {
    const ordered = instances.sort(byStart);
    return {
      name,
      fingerprint,
      started: ordered.map(({ creationTimestamp }) => creationTimestamp),
      ...contextOf(ordered),
    };
  });
  return rows.sort(byFingerprint);
}

/** Oldest first. Instances of the same second are ordered by their other fields, so the order of the report is irrelevant. */
const byStart = (a: ReportedItem, b: ReportedItem): number =>
  a.creationTimestamp - b.creationTimestamp || compareText(otherFields(a), otherFields(b));

const otherFields = ({ digests: _, creationTimestamp: __, ...rest }: ReportedItem): string =>
  JSON.stringify(Object.entries(rest).sort(([a], [b]) => compareText(a, b)));

/** The context blocks of an artifact. A block for one instance shows the oldest. */
function contextOf(instances: readonly ReportedItem[]) {
  const [oldest] = instances;
  if (!oldest) return {};
  const { podName, taskArn, app_name, kind } = oldest;
  return {
    ...(podName !== undefined && { pods: podsOf(instances) }),
    ...(taskArn !== undefined && {
      ecs_context: {
        task_arn: taskArn,
        cluster_name: oldest.cluster_name ?? null,
        service_name: oldest.service_name ?? null,
      },
    }),
    ...(app_name !== undefined && {
      azure_context: {
        app_name,
        app_kind: oldest.app_kind ?? null,
        digests_source: oldest.digests_source ?? null,
      },
    }),
    ...(kind !== undefined && {
      cloud_run_context: {
        kind,
        service_name: oldest.serviceName ?? null,
        revision_name: oldest.revisionName ?? null,
        job_name: oldest.jobName ?? null,
      },
    }),
  };
}

/**
 * Pods by name. If several namespaces have a pod of the same name, the pod of the first namespace keeps the bare name,
 * and the others get `namespace/name`. Names of pods contain no slash.
 */
function podsOf(instances: readonly ReportedItem[]): Record<string, Pod> {
  const byName = instances.toSorted((a, b) => compareText(a.namespace ?? '', b.namespace ?? ''));
  const pods = new Map<string, Pod>();
  for (const { podName = '', namespace = '', creationTimestamp, owners } of byName) {
    const holder = pods.get(podName);
    const name = holder && holder.namespace !== namespace ? `${namespace}/${podName}` : podName;
    if (!pods.has(name)) pods.set(name, { namespace, creationTimestamp, owners: owners ?? [] });
  }
  return Object.fromEntries(pods);
}
