import * as z from 'zod';
import { absolute, BASE_PATH } from '#shared/base/addresses.ts';
import { AnyEnvironmentName } from '#shared/base/names.ts';
import { fromMillis, type Micros } from '#shared/base/time.ts';
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

/** The instant of an argument in microseconds; undefined without one. */
export const microsOf = (at: string | undefined): Micros | undefined =>
  at === undefined ? undefined : fromMillis(Date.parse(at));

export const fingerprintText = z
  .string()
  .regex(/^[a-f0-9]{5,64}$/, 'Input should be a SHA-256 in hex, or its first 5 digits or more')
  .describe('SHA-256 of the artifact in hex, or its beginning');

/** Returns the address of the receipt of a moment of a trail. */
export const receiptOfTrail = (
  { host, org }: ReasonPlace,
  { flow, trail, number }: { flow: string; trail: string; number: number },
): string => absolute(host, `${BASE_PATH}/receipts/${org.name}/trails/${flow}/${trail}/${number}`);

/** Returns the address of the receipt of a snapshot: its proof from the log. */
export const receiptOfSnapshot = (
  { host, org }: ReasonPlace,
  { head, parts }: { head: { name: string }; parts: { summary: { index: number } } },
): string => absolute(host, `${BASE_PATH}/receipts/${org.name}/environments/${head.name}/${parts.summary.index}`);
