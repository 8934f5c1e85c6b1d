import { type Write, write } from '../parts/form/model/forms.ts';
import { setDefaultOrganization } from './operations.ts';

/** The organization that the service takes for a person who names none (rules/organizations.md#default-organization). */
export const makeDefault = (org: string): Write =>
  write({
    button: 'Make it the default',
    does: `Make ${org} your default organization`,
    doing: 'choose a default',
    operation: setDefaultOrganization,
    fields: {},
    request: () => ({ params: { org } }),
    done: 'It is the default.',
  });
