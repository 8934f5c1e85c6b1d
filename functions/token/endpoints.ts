import { endpointGroup } from '#shared/http/endpoint.ts';
import { exchangeToken } from './exchange-token.ts';

export const tokenGroup = endpointGroup({
  name: 'token',
  about: 'Exchange of tokens of CI systems for keys that work for some minutes.',
  endpoints: [exchangeToken],
});
