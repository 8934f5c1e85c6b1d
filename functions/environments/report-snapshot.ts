import * as z from 'zod';
import { AnyEnvironmentName } from '#shared/base/names.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { ENVIRONMENT_KINDS, REPORT_KINDS, type ReportKind } from '#shared/environments/rules/environment-kinds.ts';
import { REPORT_BODIES, runningArtifacts } from '#shared/environments/rules/report.ts';
import {
  archivedEnvironment,
  reportOfOtherKind,
  reportToLogical,
  unknownEnvironment,
} from '#shared/environments/rules/sentences.ts';
import { refuseReport, STORE_REPORT, storeReport } from '#shared/environments/store-report.ts';
import { type Endpoint, endpoint } from '#shared/http/endpoint.ts';
import { type Appended, answerWrite, ok, okAppending } from '#shared/http/written.ts';

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
    params: z.object({ org: z.string(), env_name: AnyEnvironmentName }),
    body: { kind: 'json', schema: REPORT_BODIES[kind] },
    success: { 200: z.literal('OK'), 201: z.literal('OK') },
    makes: { at: '/snapshots/{org}/{env_name}/{index}', id: 'index' },
    appends: '/receipts/{org}/environments/{env_name}/{number}',
    errors,
    uses: STORE_REPORT,
    handler: async (request, stores: Stores) => {
      const report = { environment: request.params.env_name, kind, running: runningArtifacts(request.body) };
      return answerWrite(request, (by) => storeReport(stores, by, report), reported);
    },
  });
}

/** A report that stored a snapshot is answered with its number. */
const reported = (appended: Appended | null) =>
  appended === null ? ok(200) : okAppending(201, { index: String(appended.first) })(appended);

/** The same path with a word that is no kind: refused with the kind of the environment (rules/environments.md#refused-reports). */
export const reportOtherKind = endpoint({
  operation: 'reportOtherKind',
  method: 'PUT',
  path: '/environments/{org}/{env_name}/report/{kind}',
  summary: 'Refuse a report of a kind that does not exist',
  access: 'snapshotter',
  success: {},
  errors,
  handler: ({ params, org }, stores: Pick<Stores, 'table'>) => refuseReport(stores, org, params.env_name, params.kind),
});

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
