import * as z from 'zod';

/** How many requests are admitted: so many a second, and so many at once after a pause. */
export const RequestLimit = z
  .object({ rate: z.int().min(1), burst: z.int().min(1) })
  .refine(({ rate, burst }) => burst >= rate);
export type RequestLimit = z.infer<typeof RequestLimit>;

/** The limits of an organization or of a key: for all requests, and for those that change something. */
export const RequestLimits = z.object({ requests: RequestLimit, writes: RequestLimit });
export type RequestLimits = z.infer<typeof RequestLimits>;

/** The limits of a stage (rules/requests.md#limits-of-organizations). */
export const StageLimits = z.object({
  /** That of the gateway. No other limit is above it. */
  stage: RequestLimit,
  organization: RequestLimits,
  key: RequestLimits,
});
export type StageLimits = z.infer<typeof StageLimits>;

const FORM = /^([1-9]\d{0,5})\/([1-9]\d{0,5})$/;

/** Reads the form `rate/burst`, such as `400/2000`. @returns undefined if the text is no limit */
export function readLimit(text: string): RequestLimit | undefined {
  const [, rate, burst] = FORM.exec(text) ?? [];
  return RequestLimit.safeParse({ rate: Number(rate), burst: Number(burst) }).data;
}

/** Returns whether a limit admits more than another one. */
export const isAbove = (limit: RequestLimit, other: RequestLimit): boolean =>
  limit.rate > other.rate || limit.burst > other.burst;
