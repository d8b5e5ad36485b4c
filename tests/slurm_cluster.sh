#!/usr/bin/env bash
# A SLURM cluster of one node on the loopback, for tests/running/test_slurm.py: slurm_cluster.sh install|start [CPUS]|crash|stop
# Needs root, and Debian's slurmctld, slurmd, slurm-client and munge, which "install" installs where it can. The configuration must be /etc/slurm/slurm.conf:
# one that this script has not written is never overwritten.
set -euo pipefail
MARK="# written by slurm_cluster.sh"
CONF=/etc/slurm/slurm.conf
STATE=/run/spcabench-slurm

PACKAGES="slurmctld slurmd slurm-client munge"

install() {
    command -v slurmctld >/dev/null && command -v slurmd >/dev/null && command -v munged >/dev/null && return
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        echo "no SLURM here: it needs root and apt-get"
    elif ! { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $PACKAGES; } >/dev/null 2>&1; then
        echo "no SLURM here: apt-get does not install $PACKAGES"
    fi
}

# the node's daemon dies with all that runs on the node; then the node comes back by itself (ReturnToService=2): to resume
# one that is back already is an error
crash() {
    kill -9 "$(cat $STATE/slurmd.pid)"
    scontrol update NodeName="$(hostname -s)" State=DOWN Reason=crash
    slurmd
    await_node
}

# wait until the node can run jobs
await_node() {
    for _ in $(seq 120); do
        sinfo -h -o %t 2>/dev/null | grep -qxE 'idle|mix|alloc' && return
        sleep 0.5
    done
    echo "the node did not come up: $(sinfo 2>&1 | tail -1)"; tail -3 $STATE/*.log
    return 1
}

stop() {
    local pid
    for daemon in slurmd slurmctld munged; do
        [ -s $STATE/$daemon.pid ] || continue
        pid=$(cat $STATE/$daemon.pid)
        kill "$pid" 2>/dev/null || true
        for _ in $(seq 40); do kill -0 "$pid" 2>/dev/null || break; sleep 0.25; done
    done
    if [ -f $CONF ] && grep -qF "$MARK" $CONF; then rm $CONF; fi
    rm -rf $STATE
}

start() {
    [ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
    for program in slurmctld slurmd munged sbatch; do
        command -v $program >/dev/null || { echo "no $program: apt-get install $PACKAGES"; exit 77; }
    done
    if [ -f $CONF ] && ! grep -qF "$MARK" $CONF; then echo "$CONF is another cluster's"; exit 77; fi
    stop || true
    mkdir -p $STATE/spool $STATE/state /run/munge
    chown munge: /run/munge
    local node; node=$(hostname -s)
    cat >$CONF <<END
$MARK
ClusterName=spcabench
SlurmctldHost=$node(127.0.0.1)
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmUser=root
AuthType=auth/munge
StateSaveLocation=$STATE/state
SlurmdSpoolDir=$STATE/spool
SlurmctldPidFile=$STATE/slurmctld.pid
SlurmdPidFile=$STATE/slurmd.pid
SlurmctldLogFile=$STATE/slurmctld.log
SlurmdLogFile=$STATE/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SlurmdParameters=config_overrides
AccountingStorageType=accounting_storage/none
ReturnToService=2
MpiDefault=none
NodeName=$node NodeAddr=127.0.0.1 CPUs=${1:-2} RealMemory=16000 State=UNKNOWN
PartitionName=all Nodes=$node Default=YES MaxTime=INFINITE State=UP
END
    runuser -u munge -- munged --force --pid-file /run/munge/munged.pid --log-file /tmp/munged-$$.log
    cp /run/munge/munged.pid $STATE/munged.pid
    slurmctld
    slurmd
    await_node || { stop; exit 1; }
}

"$@"
