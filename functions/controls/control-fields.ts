import * as z from 'zod';
import { WITH_INVALID_ITEMS } from '#shared/base/validation.ts';
import { HttpUrl } from '#shared/evidence/rules/addresses.ts';

const MOST_LINKS = 100;

/** The content of a control in requests (rules/controls.md#fields-of-a-request). Names are short because list entries hold them. */
export const ControlName = z.string().min(1).max(255);
export const ControlDescription = z.string().max(10_000);
export const ControlLinks = z
  .record(z.string().min(1).max(255), HttpUrl.max(2048))
  .refine((links) => Object.keys(links).length <= MOST_LINKS, {
    error: () => `A control may have at most ${MOST_LINKS} links`,
    ...WITH_INVALID_ITEMS.map,
  })
  .meta({ description: 'Name → address. The links of a request replace all stored links' });
