import type { getExport } from '#functions/exports/get-export.ts';
import type { listExports } from '#functions/exports/list-exports.ts';
import type { startExport } from '#functions/exports/start-export.ts';
import type { getPackage } from '#functions/statements/get-package.ts';
import type { startPackage } from '#functions/statements/start-package.ts';
import { type AnswerOf, operation } from '../client/operations.ts';

/** Operations on archives of evidence: packages of one record, and exports of the organization. */
export const newPackage = operation<typeof startPackage>()('POST', '/packages/{org}', 'reader');
export const packageOf = operation<typeof getPackage>()('GET', '/packages/{org}/{package_id}', 'reader');
export const newExport = operation<typeof startExport>()('POST', '/exports/{org}', 'admin');
export const exports = operation<typeof listExports>()('GET', '/exports/{org}', 'admin');
export const exportOf = operation<typeof getExport>()('GET', '/exports/{org}/{export_id}', 'admin');

export type Package = AnswerOf<typeof getPackage>;
export type Export = AnswerOf<typeof listExports>['exports'][number];
