import type { Supplements } from '#shared/http/openapi.ts';
import { LINKS } from './links.ts';
import { PARAMETERS } from './parameters.ts';

/** What the OpenAPI document says beyond the endpoint definitions. */
export const SUPPLEMENTS: Supplements = { parameters: PARAMETERS, links: LINKS };
