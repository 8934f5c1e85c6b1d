import type { Supplements } from '#shared/http/openapi.ts';
import { ADMINISTRATION_FIELDS } from './fields-of-administration.ts';
import { ENVIRONMENT_FIELDS } from './fields-of-environments.ts';
import { EVIDENCE_FIELDS } from './fields-of-evidence.ts';
import { IDENTITY_FIELDS } from './fields-of-identities.ts';
import { LINKS } from './links.ts';
import { PARAMETERS } from './parameters.ts';

/** What the OpenAPI document says beyond the endpoint definitions. */
export const SUPPLEMENTS: Supplements = {
  fields: { ...EVIDENCE_FIELDS, ...ENVIRONMENT_FIELDS, ...ADMINISTRATION_FIELDS, ...IDENTITY_FIELDS },
  parameters: PARAMETERS,
  links: LINKS,
};
