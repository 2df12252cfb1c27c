/** Counts of the fleet since the start of the service. */
export class FleetCounts {
  /** Requests that other machines have sent here and that were taken; those that they may not send. */
  served = 0;
  refused = 0;
  /** Requests of this machine to others; tries after a loss; those of which nobody knows what became. */
  routed = 0;
  repeated = 0;
  unknown = 0;
  /** Bytes of requests and answers, both ways. */
  sentBytes = 0;
  receivedBytes = 0;
  /** Times that the link to the hub was made anew. */
  reconnects = 0;
}
