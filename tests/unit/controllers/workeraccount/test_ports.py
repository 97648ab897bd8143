from controllers.workeraccount.ports import assigned_ports


def test_new_scripts_get_the_lowest_free_ports_in_the_order_of_their_names() -> None:
    assert assigned_ports(["c", "b"], {}) == {"b": 8080, "c": 8081}


def test_who_has_a_port_keeps_it_and_a_free_one_is_used_again() -> None:
    assert assigned_ports(["a", "b", "c"], {"b": 8080, "c": 8081}) == {"a": 8082, "b": 8080, "c": 8081}
    assert assigned_ports(["c", "d"], {"b": 8080, "c": 8081}) == {"c": 8081, "d": 8080}
