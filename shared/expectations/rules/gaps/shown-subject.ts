import type { GapSubject } from './gap.ts';

/** A subject by its names, as answers and statements show it. */
interface ShownSubject {
  type: GapSubject['type'];
  environment?: string;
  flow?: string;
  trail?: string;
  fingerprint?: string;
  /** Name of an artifact. */
  name?: string;
}

/** Returns the names of a subject, without its ids. */
export function shownSubject(subject: GapSubject): ShownSubject {
  switch (subject.type) {
    case 'environment':
      return { type: subject.type, environment: subject.name };
    case 'flow':
      return { type: subject.type, flow: subject.name };
    case 'scope':
      return { type: subject.type };
    case 'trail':
      return { type: subject.type, flow: subject.flow.name, trail: subject.name };
    case 'artifact': {
      const { type, environment, fingerprint, name } = subject;
      return { type, environment: environment.name, fingerprint, name };
    }
  }
}
