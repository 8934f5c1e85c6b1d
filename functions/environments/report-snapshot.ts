import * as z from 'zod';
import type { Organization } from '#shared/callers/caller.ts';
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
import { type Endpoint, endpoint } from '#shared/http/endpoint.ts';
import { ok, written } from '#shared/http/written.ts';
import { type Appended, claimWrites } from '#shared/table/idempotency.ts';
import type { Table } from '#shared/table/table.ts';

const errors = [unknownEnvironment, archivedEnvironment, reportToLogical, reportOfOtherKind];

/** One endpoint per kind of environment and per word for it, since each kind has its own body (rules/environments.md#kinds). */
export const reportEndpoints: Endpoint[] = REPORT_KINDS.flatMap((kind) =>
  [...new Set([kind, ENVIRONMENT_KINDS[kind]])].map((word) => reportOf(kind, word)),
);

/** PUT /environments/{org}/{env_name}/report/{kind}: reports everything that runs (rules/environments.md#reports). */
function reportOf(kind: ReportKind, word: string): Endpoint {
  return endpoint({
    operation: `report${word.split('-').map(capital).join('')}`,
    method: 'PUT',
    path: `/environments/{org}/{env_name}/report/${word}`,
    summary: `Report what runs in an environment of type ${kind}`,
    description: 'A snapshot is stored (201) only if the report differs in something that compliance depends on.',
    access: 'snapshotter',
    params: z.object({ org: z.string(), env_name: z.string() }),
    query: z.object({}),
    body: { kind: 'json', schema: REPORT_BODIES[kind] },
    success: { 200: z.literal('OK'), 201: z.literal('OK') },
    makes: { at: '/snapshots/{org}/{env_name}/{index}', id: 'index' },
    appends: '/receipts/{org}/environments/{env_name}/{number}',
    errors,
    uses: { writes: ['ENV', 'SNAPSHOT', 'CATALOGUE', 'BODY'], bucket: ['bodies:read', 'bodies:write'] },
    handler: async ({ params, body, org, caller, idempotency }, services) => {
      const answer = (appended: Appended | null) =>
        appended === null ? ok(200) : { ...ok(201, { index: String(appended.first) }), appended };
      const { outcome, appended } = await storeReport(services, org, {
        find: () => reportedEnvironment(services.table, org, params.env_name, kind),
        running: runningArtifacts(body),
        identity: caller.identity,
        claim: (stored) => claimWrites(idempotency, answer(stored), services.clock.now()),
      });
      return written(answer(appended), outcome);
    },
  });
}

/** The same path with a word that is no kind: refused with the kind of the environment (rules/environments.md#refused-reports). */
export const reportOtherKind = endpoint({
  operation: 'reportOtherKind',
  method: 'PUT',
  path: '/environments/{org}/{env_name}/report/{kind}',
  summary: 'Refuse a report of a kind that does not exist',
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
 * Finds the environment of a report.
 * @param given the kind of the report; absent = a word that is no kind
 * @throws ServiceError 404 if the environment does not exist, 400 if it takes no reports or reports of another kind
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
