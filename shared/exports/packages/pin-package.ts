import type { Id, OrganizationId } from '#shared/base/ids.ts';
import type { ExportFiles } from '#shared/bodies/export-files.ts';
import { readClaims } from '#shared/log/records/claims.ts';
import { newestAccepted } from '../pin-log.ts';
import type { PinnedLog } from '../records/exports.ts';
import { waitsUntil } from '../rules/life-of-an-export.ts';
import type { ExporterServices } from '../services.ts';
import { PackagePlan, subjectsOf } from './package-plan.ts';
import { planPackage } from './plan-package.ts';
import type { StartedPackage } from './started-package.ts';

const PLAN = 'plan';

/**
 * Plans a package and finds its checkpoint (rules/exports.md#checkpoint-of-a-package): the newest one that the policy file of the
 * archive accepts. It has to cover all records of the plan until the time to wait is over. The plan is made again at each
 * look, and stored with the checkpoint.
 *
 * @returns `wait` if there is no such checkpoint yet; `none` if the time is over and no checkpoint meets the policy; the problem of
 *   a package that cannot be made
 */
export async function pinPackage(
  services: ExporterServices,
  org: OrganizationId,
  record: StartedPackage,
): Promise<PinnedLog | 'wait' | 'none' | { problem: string }> {
  const isOver = services.clock.now() >= waitsUntil(record);
  const planned = await planPackage(services, org, record);
  if ('problem' in planned) return planned;
  const [newest, claims] = await Promise.all([
    newestAccepted(services, org),
    readClaims(services.table, org, subjectsOf(planned)),
  ]);
  const coversStart = newest !== null && claims.every((claim) => claim !== null && claim.index < newest.size);
  if (!coversStart && !isOver) return 'wait';
  if (!newest) return 'none';
  await services.files.putNote(org, record.id, PLAN, Buffer.from(JSON.stringify(planned)));
  return { ...newest, coversStart };
}

/** Reads the plan that was stored with the checkpoint. */
export async function readPackagePlan(files: ExportFiles, org: OrganizationId, id: Id): Promise<PackagePlan> {
  return PackagePlan.parse(JSON.parse((await files.getNote(org, id, PLAN)).toString('utf8')));
}
