import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Organization } from '#shared/callers/caller.ts';
import type { CallerServices, ChainServices } from '#shared/http/services.ts';
import type { TableState } from '#shared/table/table-state.ts';
import type { RequestFacts } from './access-log.ts';
import type { Authenticator, Identity } from './authentication/authenticate.ts';
import type { GatewayRequest } from './gateway-event.ts';
import type { RequestLimiter } from './limits/request-limiter.ts';
import type { Request } from './request.ts';

/** One request on its way through the chain. */
export interface Call {
  request: GatewayRequest;
  facts: RequestFacts;
  /** Whether refusals have the fields of OAuth 2.0 too. Set with the route. */
  oauthErrors: boolean;
  /** Address that an access token is for, of an endpoint that takes access tokens. Set with the route. */
  resource?: string;
  /** Set by a step of the chain for the later steps. */
  identity?: Identity;
  /** Whether the table takes no writes. */
  isClosed?: boolean;
  /** The organization of an endpoint that is open to everybody; there is no identity then. */
  openOrganization?: Organization;
  parsed?: Parsed;
}

/** The gateway's event with the call that the chain works on. */
export interface CallEvent extends APIGatewayProxyEventV2 {
  call: Call;
}

/** The services of a function, once they are made. */
export interface Ready {
  services: ChainServices;
  /** Throws in a function whose endpoints are all public. */
  callers: () => {
    services: CallerServices;
    authenticator: Authenticator;
    /** Absent if nobody is limited. */
    limiter: RequestLimiter | undefined;
  };
  /** Absent in a function that has no table. */
  state?: TableState;
}

/** A function without settings has no address. Its endpoints make no links. */
export const NO_ADDRESS = '';

/** A request whose parts passed the schemas of its endpoint. */
export type Parsed = Pick<Request, 'params' | 'query' | 'body' | 'bodyText' | 'files' | 'idempotency'>;
