// vcsim serves govmomi's simulation of a vCenter, over TLS, until its stdin ends; the first line on stdout is its URL.
//
// It takes the place of govmomi's own program of that name, which is a module that the proxy does not have.
package main

import (
	"crypto/tls"
	"flag"
	"fmt"
	"io"
	"log"
	"net/url"
	"os"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

const (
	busyName    = "DC0_C0_RP0_VM0"
	lastingName = "DC0_C0_RP0_VM1"
)

// busyVM takes the order to power off, and then cannot: another task is at work.
type busyVM struct{ *simulator.VirtualMachine }

func (vm *busyVM) PowerOffVMTask(ctx *simulator.Context, req *types.PowerOffVM_Task) soap.HasFault {
	other := types.ManagedObjectReference{Type: "Task", Value: "task-of-another"}
	task := simulator.CreateTask(req.This, "powerOff", failing(&types.TaskInProgress{Task: other}))
	return &methods.PowerOffVM_TaskBody{Res: &types.PowerOffVM_TaskResponse{Returnval: task.Run(ctx)}}
}

// lastingVM takes the order to be destroyed, and then is not.
type lastingVM struct{ *simulator.VirtualMachine }

func (vm *lastingVM) DestroyTask(ctx *simulator.Context, req *types.Destroy_Task) soap.HasFault {
	task := simulator.CreateTask(req.This, "destroy", failing(new(types.HostCommunication)))
	return &methods.Destroy_TaskBody{Res: &types.Destroy_TaskResponse{Returnval: task.Run(ctx)}}
}

func failing(fault types.BaseMethodFault) func(*simulator.Task) (types.AnyType, types.BaseMethodFault) {
	return func(*simulator.Task) (types.AnyType, types.BaseMethodFault) { return nil, fault }
}

func main() {
	user := flag.String("user", "user", "who may log in")
	password := flag.String("password", "pass", "with what")
	machines := flag.Int("machines", 20, "how many virtual machines each host and each cluster has")
	flag.Parse()

	model := simulator.VPX()
	model.Machine = *machines
	defer model.Remove()
	if err := model.Create(); err != nil {
		log.Fatal(err)
	}
	replace(model.Map())
	model.Service.Listen = &url.URL{Host: "127.0.0.1:0", User: url.UserPassword(*user, *password)}
	model.Service.TLS = new(tls.Config)
	server := model.Service.NewServer()
	defer server.Close()

	address := *server.URL
	address.User = nil
	fmt.Println(address.String())
	// Whoever started this holds the other end: when it dies, however that may be, so does this.
	_, _ = io.Copy(io.Discard, os.Stdin)
}

func replace(registry *simulator.Registry) {
	for _, each := range registry.All("VirtualMachine") {
		vm := each.(*simulator.VirtualMachine)
		switch vm.Name {
		case busyName:
			registry.Put(&busyVM{vm})
		case lastingName:
			registry.Put(&lastingVM{vm})
		}
	}
}
