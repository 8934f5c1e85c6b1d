import * as z from 'zod';
import { HttpUrl } from '#shared/evidence/rules/shared-fields.ts';

const MOST_LINKS = 100;

/** What people say of a control (wire admin §3.1). Names go into the entries of a list, which stay small. */
export const ControlName = z.string().min(1).max(255);
export const ControlDescription = z.string().max(10_000);
export const ControlLinks = z
  .record(z.string().min(1).max(255), HttpUrl.max(2048))
  .refine((links) => Object.keys(links).length <= MOST_LINKS, {
    error: () => `A control may have at most ${MOST_LINKS} links`,
  })
  .meta({ description: 'Name → address. Given links replace all that were there' });
