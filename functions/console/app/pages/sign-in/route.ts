import { text } from '../../model/search-params.ts';
import { route } from '../route.ts';

export const signInRoute = route({ name: 'sign-in', search: { next: text }, reads: () => [] });
