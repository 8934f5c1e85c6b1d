import { route } from '../routes/route.ts';
import { text } from '../routes/search-params.ts';

/** The glossary needs no answer: its words are part of the page. */
export const glossaryRoute = route({ name: 'glossary', search: { word: text }, reads: () => [] });
