import * as z from 'zod';
import { ExportOut, exportOut } from '#functions/forms/export-output.ts';
import { toSeconds } from '#shared/base/time.ts';
import type { StartedPackage } from '#shared/exports/packages/start-package.ts';
import { waitsUntil } from '#shared/exports/rules/life-of-an-export.ts';
import { type PackageScope, scopeText } from '#shared/exports/rules/package-scope.ts';
import { PACKAGE_WAITS_FOR } from '#shared/exports/rules/sentences.ts';

/** A package in answers (rules/exports.md#record-of-a-package). It has the fields of an export, and what it is about. */
export const PackageOut = ExportOut.extend({
  scope: z
    .object({
      type: z.enum(['artifact', 'trail', 'snapshot', 'evaluation', 'period']).meta({ description: 'Kind of record' }),
      flow: z.string().optional().meta({ description: 'Name of the flow; of an artifact and a trail' }),
      fingerprint: z.string().optional().meta({ description: 'Of an artifact' }),
      trail: z.string().optional().meta({ description: 'Name of the trail' }),
      environment: z.string().optional().meta({ description: 'Name of the environment; of a snapshot and a period' }),
      index: z.int().optional().meta({ description: 'Number of the snapshot' }),
      evaluation: z.string().optional().meta({ description: 'Id of the evaluation' }),
      start_ts: z.number().optional().meta({ description: 'Begin of the period in seconds since the epoch' }),
      end_ts: z.number().optional().meta({ description: 'End of the period in seconds since the epoch' }),
    })
    .meta({ description: 'What the package is about' }),
  about: z.string().meta({ description: 'The same as a text for readers' }),
}).meta({ id: 'Package' });

export const PackageWithAddress = PackageOut.extend({
  download_url: z.string().nullable().meta({
    description:
      'Address of the archive, valid for an hour; null until the package is done. It serves ranges, so a download can be resumed',
  }),
}).meta({ id: 'PackageWithAddress' });

export function packageOut(record: StartedPackage): z.input<typeof PackageOut> {
  const { scope, state, log } = record;
  return {
    ...exportOut(record),
    waits_for: state === 'running' && !log ? { what: PACKAGE_WAITS_FOR, until: toSeconds(waitsUntil(record)) } : null,
    scope: scopeOut(scope),
    about: scopeText(scope),
  };
}

function scopeOut(scope: PackageScope): z.input<typeof PackageOut>['scope'] {
  switch (scope.type) {
    case 'artifact':
      return { type: scope.type, flow: scope.flowName, fingerprint: scope.fingerprint };
    case 'trail':
      return { type: scope.type, flow: scope.flowName, trail: scope.trail };
    case 'snapshot':
      return { type: scope.type, environment: scope.environmentName, index: scope.index };
    case 'evaluation':
      return scope;
    case 'period': {
      const { from, to, environmentName: environment } = scope;
      return { type: scope.type, environment, start_ts: toSeconds(from), end_ts: toSeconds(to) };
    }
  }
}
