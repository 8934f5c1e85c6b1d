import { readLimit } from '#shared/callers/request-limits.ts';
import { soakTenants, type TenantsReport } from './soak-tenants.ts';

/** Room for a client that sends one write after another, and no more. */
const USUAL_LIMIT = '10/20';

/** The flags of `npm run soak` that belong to many organizations. */
export interface TenantFlags {
  organizations: number;
  flood: number;
  /** Writes in a second of each other organization. */
  pace?: number | undefined;
  /** Requests in a second and at once, or `none`. */
  limit?: string | undefined;
  seconds: number;
  containers?: number | undefined;
  log: string;
}

/** Runs the soak with many organizations and prints what it found. @returns the status of the process */
export async function runTenants({ limit = USUAL_LIMIT, ...flags }: TenantFlags): Promise<number> {
  const one = readLimit(limit);
  if (!one && limit !== 'none')
    throw new Error('--limit must be requests in a second and at once, such as 10/20, or none');
  const both = one && { requests: one, writes: one };
  const limits = one && both && { stage: { rate: 10_000, burst: 20_000 }, organization: both, key: both };
  const found = await soakTenants({ ...flags, limits, progress: (text) => console.error(text) });
  print(found);
  return found.problems.length === 0 ? 0 : 1;
}

function print({ problems, quiet, flooders, answered }: TenantsReport): void {
  const { without, during } = quiet;
  for (const what of ['answer', 'notification'] as const) {
    for (const share of ['p50', 'p99'] as const) {
      const [before, after] = [without[what][share], during[what][share]];
      console.log(
        `others, ${what}, ${share}: ${before} ms without the flood, ${after} ms with it (${(after / before).toFixed(2)} times)`,
      );
    }
  }
  console.log(`writes of the others: ${without.writes} without the flood, ${during.writes} with it`);
  console.log(`answers of the flood by status: ${JSON.stringify(flooders)}`);
  for (const problem of problems.slice(0, 20)) console.log(problem);
  console.log(
    problems.length === 0
      ? `Nothing was lost: all ${answered} answered writes are in their lists and were notified.`
      : `${problems.length} problems`,
  );
}
