import * as z from 'zod';
import type { Fingerprint } from '#shared/base/ids.ts';
import { withInput } from '#shared/base/validation.ts';
import type { ReportKind } from './environment-kinds.ts';
import { artifactKey, byFingerprint, compareText, type Pod, PodOwner, type RunningArtifact } from './running.ts';

/** The most artifacts of one report, whether they come as many items or as many digests of few. */
export const MOST_ARTIFACTS = 10_000;

/** As long as the longest path of a file system. */
const ArtifactName = z.string().min(1).max(4096);

/** SHA-256 in hex, or nothing where the reporter could not find it out (wire environments §3). */
const Digest: z.core.$ZodType<Fingerprint | '', string> = z
  .string()
  .regex(/^([a-f0-9]{64})?$/)
  .brand<'Fingerprint'>();

const UNSAFE_NAME = '__proto__';

/** Artifact name → digest. The one name that objects cannot hold as data is refused instead of lost. */
const Digests = z.preprocess(
  (input, context) => {
    if (typeof input === 'object' && input !== null && Object.hasOwn(input, UNSAFE_NAME)) {
      const message = withInput('Artifacts cannot have this name', UNSAFE_NAME);
      context.addIssue({ code: 'custom', message, input });
    }
    return input;
  },
  z.record(ArtifactName, Digest),
);

const item = {
  digests: Digests,
  /** When the instance started, in whole seconds since the epoch; clients send 0 or the year 1 for «unknown». */
  creationTimestamp: z.int(),
};

function reportOf<I extends z.ZodType<ReportedItem>>(id: string, reportedItem: I) {
  const artifacts = z
    .array(reportedItem)
    .max(MOST_ARTIFACTS)
    .superRefine((items, context) => {
      const named = items.flatMap(({ digests }) => Object.keys(digests));
      if (named.length <= MOST_ARTIFACTS) return;
      context.addIssue({ code: 'too_big', origin: 'array', maximum: MOST_ARTIFACTS, inclusive: true, input: named });
    });
  const description = 'Everything that runs, never a difference. `type` and `id` beside `artifacts` are ignored.';
  return z.object({ artifacts }).meta({ id, description });
}

/** One workload of a report of any kind; each kind's schema leaves its own fields only. */
export interface ReportedItem {
  digests: Record<string, Fingerprint | ''>;
  creationTimestamp: number;
  podName?: string;
  namespace?: string;
  owners?: z.output<typeof PodOwner>[] | null | undefined;
  taskArn?: string;
  cluster_name?: string | null | undefined;
  service_name?: string | null | undefined;
  app_name?: string;
  app_kind?: string | null | undefined;
  digests_source?: string | null | undefined;
  kind?: 'service' | 'job';
  serviceName?: string | null | undefined;
  revisionName?: string | null | undefined;
  jobName?: string | null | undefined;
}

export interface ReportBody {
  artifacts: ReportedItem[];
}

const plainItem = z.object(item);

/**
 * The body of a report by kind of environment (wire environments §3). Unknown fields are ignored, except on the items
 * of cloud-run, whose clients count on a refusal (semantics §1.3).
 */
export const REPORT_BODIES: Record<ReportKind, z.ZodType<ReportBody>> = {
  K8S: reportOf(
    'ReportOfPods',
    z.object({ ...item, podName: z.string(), namespace: z.string(), owners: z.array(PodOwner).nullish() }),
  ),
  ECS: reportOf(
    'ReportOfTasks',
    z.object({ ...item, taskArn: z.string(), cluster_name: z.string().nullish(), service_name: z.string().nullish() }),
  ),
  S3: reportOf('ReportOfObjects', plainItem),
  lambda: reportOf('ReportOfFunctions', plainItem),
  server: reportOf('ReportOfPaths', plainItem),
  docker: reportOf('ReportOfContainers', plainItem),
  'azure-apps': reportOf(
    'ReportOfApps',
    z.object({ ...item, app_name: z.string(), app_kind: z.string().nullish(), digests_source: z.string().nullish() }),
  ),
  'cloud-run': reportOf(
    'ReportOfRevisions',
    z.strictObject({
      ...item,
      kind: z.enum(['service', 'job']),
      serviceName: z.string().nullish(),
      revisionName: z.string().nullish(),
      jobName: z.string().nullish(),
    }),
  ),
};

/**
 * What a report says to be running: one row per name and fingerprint, in order of fingerprint and name. Items that name
 * the same artifact are instances of it (semantics §5.2). The order of the items makes no difference.
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

/** Oldest first; what started in the same second is told apart by what else it says. */
const byStart = (a: ReportedItem, b: ReportedItem): number =>
  a.creationTimestamp - b.creationTimestamp || compareText(particulars(a), particulars(b));

const particulars = ({ digests: _, creationTimestamp: __, ...rest }: ReportedItem): string =>
  JSON.stringify(Object.entries(rest).sort(([a], [b]) => compareText(a, b)));

/** The context blocks of an artifact. Those that have room for one instance show the oldest. */
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
 * Pods by name. Namespaces may hold pods of the same name: the first namespace keeps the bare name, the pods of the
 * others are called `namespace/name`, since names of pods contain no slash.
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
