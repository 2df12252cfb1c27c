/** Counts of the fleet since the start of the service. */
export class FleetCounts {
  /** Requests of other machines: taken, and refused because the machine may not send them. */
  served = 0;
  refused = 0;
  /** Requests of this machine to others; tries after a loss; requests with an unknown outcome. */
  routed = 0;
  repeated = 0;
  unknown = 0;
  /** Bytes of requests and answers, both ways. */
  sentBytes = 0;
  receivedBytes = 0;
  /** Times that the link to the hub was established again. */
  reconnects = 0;
}
