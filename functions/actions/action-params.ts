import * as z from 'zod';
import { integerField } from '#shared/http/query-fields.ts';

/**
 * Path parameters of one action. A text that is no positive integer is 400, a number that no action has is 404
 * (`rules/notifications.md#kinds-and-numbers`).
 */
export const actionParams = {
  org: z.string(),
  action_number: integerField({ min: 1 }).meta({ description: 'Number of the action, from 1 on' }),
};
