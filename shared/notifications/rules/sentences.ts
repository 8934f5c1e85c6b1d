import { sentence } from '#shared/base/errors.ts';

// Actions and deliveries (API document «Errors»; wire admin §11)
export const actionNotFound = sentence(404, 'Action not found');
export const deliveryNotFound = sentence(404, 'Delivery not found');
