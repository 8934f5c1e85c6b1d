import * as z from 'zod';
import { presentEnvironment } from '#shared/environments/present-environment.ts';
import type { EnvironmentHead } from '#shared/environments/records/environment-records.ts';
import { ENVIRONMENT_KINDS, REPORT_KINDS, type ReportKind } from '#shared/environments/rules/environment-kinds.ts';
import { REPORT_BODIES, runningArtifacts } from '#shared/environments/rules/report.ts';
import {
  archivedEnvironment,
  reportOfOtherKind,
  reportToLogical,
  unknownEnvironment,
} from '#shared/environments/rules/sentences.ts';
import { storeReport } from '#shared/environments/store-report.ts';
import { type Endpoint, endpoint, type Organization } from '#shared/http/endpoint.ts';
import { ok, written } from '#shared/http/written.ts';
import { claimWrites } from '#shared/table/idempotency.ts';
import type { Table } from '#shared/table/table.ts';

const errors = [unknownEnvironment, archivedEnvironment, reportToLogical, reportOfOtherKind];

/** One endpoint per kind of environment, since each has a body of its own; neutral words lead to the same (semantics §1.6). */
export const reportEndpoints: Endpoint[] = REPORT_KINDS.flatMap((kind) =>
  [...new Set([kind, ENVIRONMENT_KINDS[kind]])].map((word) => reportOf(kind, word)),
);

/** PUT /environments/{org}/{env}/report/{kind}: everything that runs (wire environments §3 E8, §13 rows 15, 16). */
function reportOf(kind: ReportKind, word: string): Endpoint {
  return endpoint({
    operation: `report${word.split('-').map(capital).join('')}`,
    method: 'PUT',
    path: `/environments/{org}/{env_name}/report/${word}`,
    summary: `Report what runs in an environment of type ${kind}`,
    description: 'A snapshot is stored (201) only where the report differs in anything that compliance depends on.',
    access: 'snapshotter',
    params: z.object({ org: z.string(), env_name: z.string() }),
    query: z.object({}),
    body: { kind: 'json', schema: REPORT_BODIES[kind] },
    success: { 200: z.literal('OK'), 201: z.literal('OK') },
    errors,
    uses: { writes: ['ENV', 'SNAPSHOT', 'CATALOGUE', 'BODY'], bucket: ['bodies:read', 'bodies:write'] },
    handler: async ({ params, body, org, idempotency }, services) => {
      const answer = (stored: boolean) => ok(stored ? 201 : 200);
      const { outcome, stored } = await storeReport(services, org, {
        find: () => reportedEnvironment(services.table, org, params.env_name, kind),
        running: runningArtifacts(body),
        claim: (isStored) => claimWrites(idempotency, answer(isStored), services.clock.now()),
      });
      return written(answer(stored), outcome);
    },
  });
}

/** The same path with any other word: the environment says what it takes, in words of its own (wire environments §13 row 15). */
export const reportOtherKind = endpoint({
  operation: 'reportOtherKind',
  method: 'PUT',
  path: '/environments/{org}/{env_name}/report/{kind}',
  summary: 'Refuses reports of kinds that no environment takes',
  access: 'snapshotter',
  params: z.object({ org: z.string(), env_name: z.string(), kind: z.string() }),
  query: z.object({}),
  body: { kind: 'none' },
  success: {},
  errors,
  handler: async ({ params, org }, { table }) => {
    const { name, kind } = await reportedEnvironment(table, org, params.env_name);
    throw reportOfOtherKind({ env: name, type: kind, given: params.kind });
  },
});

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/**
 * @param given the kind of the report; absent = one that no environment is of
 * @throws ApiError 404 where there is no such environment, 400 where it takes other reports, or none
 */
async function reportedEnvironment(
  table: Table,
  org: Organization,
  name: string,
  given?: ReportKind,
): Promise<EnvironmentHead> {
  const head = await presentEnvironment(table, org, name);
  if (head.kind === 'logical') throw reportToLogical({ env: head.name });
  if (given !== undefined && head.kind !== given) {
    throw reportOfOtherKind({ env: head.name, type: head.kind, given });
  }
  return head;
}
