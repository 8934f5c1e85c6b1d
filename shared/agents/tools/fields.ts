import * as z from 'zod';
import { absolute, BASE_PATH } from '#shared/base/addresses.ts';
import { AnyEnvironmentName } from '#shared/base/names.ts';
import { fromMillis, type Micros } from '#shared/base/time.ts';
import { pageUrl } from '#shared/console/pages.ts';
import type { ReasonPlace } from '#shared/reasons/links.ts';
import type { ToolAnswer } from '../rules/tool-answer.ts';

/** Arguments that several tools take, and addresses that several answers cite. */

export const environmentName = AnyEnvironmentName.min(1).max(200).describe('Name of the environment');

/** The text of an environment policy, in YAML. What can be tried can be drafted, so the bound is one. */
export const policyText = z.string().min(1).max(100_000);

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

type Citations = ToolAnswer['citations'];

/** Where an environment can be seen, and a snapshot of it proved. @param snapshot number; absent if the answer is not about one */
export const environmentCitations = (place: ReasonPlace, env: string, snapshot?: number): Citations => [
  { what: 'the environment', url: pageUrl(place, '/{org}/environments/{env}', { env }) },
  ...(snapshot === undefined
    ? []
    : [{ what: 'the receipt of the snapshot', url: receiptAt(place, `environments/${env}/${snapshot}`) }]),
];

/** Returns the address of a receipt: the proof of a record from the log. @param path what follows the organization in it */
export const receiptAt = ({ host, org }: ReasonPlace, path: string): string =>
  absolute(host, `${BASE_PATH}/receipts/${org.name}/${path}`);
