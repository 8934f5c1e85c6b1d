import type * as z from 'zod';
import { nameMatching } from '#shared/evidence/rules/shared-fields.ts';

/** Name of an environment policy (rules/requests.md#names). */
export const PolicyName = nameMatching(String.raw`^[a-zA-Z0-9][a-zA-Z0-9\.\-_]*$`).brand<'PolicyName'>();
export type PolicyName = z.output<typeof PolicyName>;
