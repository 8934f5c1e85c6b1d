interface Problem {
  status: number;
  retryAfter: number | null;
}

const later = ({ retryAfter }: Problem): string => (retryAfter === null ? 'a moment' : `${retryAfter} s`);

/** What a reader can do about a read that has no answer. */
export function remedyFor(problem: Problem): string {
  switch (problem.status) {
    case 0:
      return 'What is shown elsewhere on this page was read earlier.';
    case 400:
      return 'Correct the address or the filters of this page.';
    case 401:
      return 'Sign in to go on where you were.';
    case 403:
      return 'Ask an administrator of the organization for a role that may read this, or to switch on the feature.';
    case 404:
      return 'It may have been renamed or archived, or belong to another organization.';
    case 429:
      return `The service limits the rate of requests. Try again in ${later(problem)}.`;
    case 503:
      return `The service is busy. Try again in ${later(problem)}.`;
    default:
      return 'If it stays so, give the id of the request to the operator of the service.';
  }
}

/**
 * What a person can do about a write that has no answer. A write that is sent again unchanged has the same
 * Idempotency-Key, so it has one effect even if the service got the first one.
 */
export function remedyForWrite(problem: Problem): string {
  switch (problem.status) {
    case 0:
      return 'What you entered is kept. Send it again when the network is back: it has one effect, even if it arrived the first time.';
    case 400:
      return 'Nothing was changed. Correct what you entered and send it again.';
    case 401:
      return 'Nothing was changed. Sign in, then send it again.';
    case 403:
      return 'Nothing was changed. Ask an administrator of the organization for a role that may do this, or to switch on the feature.';
    case 404:
      return 'Nothing was changed. What this is about may have been renamed, archived or deleted in the meantime.';
    case 409:
      return 'Nothing was changed. Somebody else changed it at the same time, or the name is taken. Look at it, then send again.';
    case 413:
      return 'Nothing was changed. Shorten the text, or send it in parts.';
    case 429:
      return `Nothing was changed, because the service limits the rate of requests. Send it again in ${later(problem)}.`;
    case 503:
      return `The service is busy. What you entered is kept. Send it again in ${later(problem)}: it has one effect.`;
    default:
      return 'What you entered is kept. If it stays so, give the id of the request to the operator of the service.';
  }
}
