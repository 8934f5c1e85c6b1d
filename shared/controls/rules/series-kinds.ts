import { type Id, storedId } from '#shared/base/ids.ts';

/** The catalogue of controls, as `shared/series` takes it. */
export const CONTROLS = { name: 'control', id: storedId<Id> };
