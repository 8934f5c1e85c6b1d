import * as z from 'zod';
import { absolute, BASE_PATH } from '#shared/base/addresses.ts';
import { AnyEnvironmentName } from '#shared/base/names.ts';
import type { ReasonPlace } from '#shared/reasons/links.ts';

/** Arguments that several tools take, and addresses that several answers cite. */

export const environmentName = AnyEnvironmentName.min(1).max(200).describe('Name of the environment');

/** `2026-11-29T13:04:21Z`; absent = now. */
export const instant = z.iso
  .datetime({ error: 'Input should be a date and time in UTC such as 2026-11-29T13:04:21Z' })
  .optional()
  .describe('An instant in UTC, such as 2026-11-29T13:04:21Z. Without it: now');

/** The expression of the snapshot that was the newest at an instant. */
export const pointAt = (at: string | undefined): string => (at === undefined ? '-1' : `@{${at}}`);

/** Returns the address of the receipt of a snapshot: its proof from the log. */
export const receiptOfSnapshot = (
  { host, org }: ReasonPlace,
  { head, parts }: { head: { name: string }; parts: { summary: { index: number } } },
): string => absolute(host, `${BASE_PATH}/receipts/${org.name}/environments/${head.name}/${parts.summary.index}`);
