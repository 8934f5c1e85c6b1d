import { sentence } from '#shared/base/errors.ts';

// rules/notifications.md#errors-of-notifications
export const actionNotFound = sentence('not-found', 'Action not found');
export const eventNotFound = sentence('not-found', 'Event not found');
export const deliveryNotFound = sentence('not-found', 'Delivery not found');
