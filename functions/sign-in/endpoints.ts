import { endpointGroup } from '#shared/http/endpoint.ts';
import { finishSignIn } from './finish-sign-in.ts';
import { startSignIn } from './start-sign-in.ts';

export const signInGroup = endpointGroup({
  name: 'sign-in',
  about: 'Sign-in of people at the identity provider of the service.',
  endpoints: [startSignIn, finishSignIn],
});
