import * as z from 'zod';
import { EnvironmentId, FlowId, TrailId } from '#shared/base/ids.ts';
import { AnyTrailName } from '#shared/base/names.ts';
import type { Subject } from '#shared/log/rules/entry.ts';
import type { ArchiveContext } from '../context.ts';
import type { PackageScope } from '../rules/package-scope.ts';

/** The records of a package, as they were found before its checkpoint was chosen (rules/exports.md#records-of-a-package). */
export const PackagePlan = z.object({
  /** Trails with the number of their last moment; a package has all moments up to it. */
  trails: z.array(z.object({ flow: FlowId, trail: AnyTrailName, id: TrailId, last: z.number() })),
  snapshots: z.array(z.object({ environment: EnvironmentId, index: z.number() })),
  evaluations: z.array(z.string()),
  /** Ids of statements, with the digests that the log has. */
  statements: z.array(z.object({ id: z.string(), digest: z.string() })),
  /** SHA-256 of attachments in hex, ascending, each once. */
  files: z.array(z.string()),
});
export type PackagePlan = z.infer<typeof PackagePlan>;

export interface PackageContext extends ArchiveContext {
  scope: PackageScope;
  plan: PackagePlan;
}

/** The entries that prove the records of a package. */
export const subjectsOf = ({ trails, snapshots, evaluations, statements }: PackagePlan): Subject[] => [
  ...trails.flatMap(({ flow, id: trail, last }) =>
    Array.from({ length: last }, (_, i) => ({ kind: 'trail' as const, flow, trail, number: i + 1 })),
  ),
  ...snapshots.map(({ environment, index: number }) => ({ kind: 'environment' as const, environment, number })),
  ...evaluations.map((evaluation) => ({ kind: 'evaluation' as const, evaluation })),
  ...statements.map(({ digest }) => ({ kind: 'statement' as const, digest })),
];
